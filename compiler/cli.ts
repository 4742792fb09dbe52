import { Command, CommanderError } from 'commander';
import { findNodeProblem, VERSION } from '#schemas';
import { findNearest, wrapUsage } from '#shared/util';
import { addAccessCommands } from './cli/access.ts';
import { addBuildCommands } from './cli/check-and-build.ts';
import { addClientCommands } from './cli/clients.ts';
import { exitCodesHelp, INTERNAL_ERROR, INTERRUPTED, USAGE_ERROR, USAGE_OR_CONFIGURATION } from './cli/exit-codes.ts';
import { finish } from './cli/finish.ts';
import { addLookUpCommands } from './cli/look-up.ts';
import { refuseMissingVerb } from './cli/refuse-missing-verb.ts';
import { addServingCommands } from './cli/serving.ts';
import { addStartCommands } from './cli/start.ts';
import { renderMistakes, startAnnouncing } from './commands/compile-paths.ts';
import { InterruptedError } from './interrupted-error.ts';
import { ConfigurationError } from './project/index.ts';
import { UsageError } from './usage-error.ts';

const EXIT_CODES = exitCodesHelp({
  0: 'clean',
  1: 'findings at or above --fail-on',
  2: USAGE_OR_CONFIGURATION,
  3: 'could not check completely',
});

/** All commands, by heading of `lintel --help`. */
const GROUPS: readonly (readonly [heading: string, addCommands: (program: Command) => void])[] = [
  ['Start:', addStartCommands],
  ['Check and build:', addBuildCommands],
  ['See who can call what:', addAccessCommands],
  ['Serve and watch:', addServingCommands],
  ['Clients:', addClientCommands],
  ['Look up and convert:', addLookUpCommands],
];

/** Adds the nearest allowed value to the parser's message about an invalid choice, as the parser does for commands and options. */
function withNearestChoice(message: string): string {
  const text = message.replace('command-argument value', 'value');
  const [, value, choices] = /(?:value|argument) '([^']*)' is invalid.* Allowed choices are (.+)\.\n/.exec(text) ?? [];
  const near = value === undefined || choices === undefined ? undefined : suggestChoice(value, choices.split(', '));
  return near === undefined ? text : `${text.trimEnd()}\n(Did you mean ${near}?)\n`;
}

/** The choice that was probably meant, such as `claude` for `claude-code`. */
function suggestChoice(value: string, choices: readonly string[]): string | undefined {
  return findNearest(value, choices) ?? choices.find(choice => value.startsWith(`${choice}-`));
}

/** The command with the names of its parents, such as `lintel audit verify`. */
function findPath(command: Command): string {
  return command.parent === null ? command.name() : `${findPath(command.parent)} ${command.name()}`;
}

/** The parser reports a missing option before an unknown one, which is likely the missing one under another name. */
function explainUnknownOption(command: Command, args: readonly string[], text: string): string | undefined {
  if (!text.startsWith('error: required option')) return undefined;
  const ownArgs = args.slice(args.indexOf(command.name()) + 1);
  const { unknown } = command.parseOptions([...ownArgs]);
  const flag = unknown.find(word => word.startsWith('--'))?.replace(/=.*/s, '');
  if (flag === undefined) return undefined;
  const near = findNearest(
    flag,
    command.options.flatMap(({ long }) => long ?? []),
  );
  return `error: unknown option '${flag}'\n${near === undefined ? '' : `(Did you mean ${near}?)\n`}`;
}

/** Adds the meaning of a missing argument to the parser's message. */
function withMeaning({ registeredArguments, options }: Command, text: string): string {
  const [line = '', argument, flags] =
    /^error: (?:missing required argument '([^']+)'|required option '([^']+)' not specified)/.exec(text) ?? [];
  const missing =
    registeredArguments.find(registeredArgument => registeredArgument.name() === argument) ??
    options.find(option => option.flags === flags);
  if (missing === undefined) return text;
  const { argChoices, description } = missing;
  const choices = argChoices === undefined ? '' : `, one of ${argChoices.join(', ')}`;
  return text.replace(line, `${line}: ${description}${choices}`);
}

function createProgram(args: readonly string[]): Command {
  const program = new Command('lintel')
    .description(
      'Checks declarative specs of MCP gateways and registry servers, compiles them into bundles, and serves the bundles.',
    )
    .version(VERSION)
    .exitOverride()
    // Options after `doctor auth` belong to that command, even if `doctor` has an option of the same name.
    .enablePositionalOptions()
    .configureOutput({
      outputError: (text, write) => write(withNearestChoice(text)),
      // The parser wraps descriptions only if at least 40 columns are left for them, and never wraps the text below the options.
      writeOut: text => void process.stdout.write(wrapUsage(text, process.stdout.columns)),
    })
    .showHelpAfterError("(try 'lintel --help')")
    // Lists command names without their arguments, so that descriptions fit on a terminal of 80 columns.
    .configureHelp({ subcommandTerm: command => command.name() })
    .addHelpCommand(
      new Command('help')
        .argument('[command]')
        .description('Print the help of a command.')
        .helpGroup('Look up and convert:'),
    )
    .addHelpText('after', EXIT_CODES);
  for (const [heading, addCommands] of GROUPS) {
    program.commandsGroup(heading);
    addCommands(program);
  }
  for (const command of program.commands) {
    for (const [path, subcommand] of [command, ...command.commands].map(each => [findPath(each), each] as const)) {
      subcommand.showHelpAfterError(`(try '${path} --help')`);
      const explain = (text: string) =>
        explainUnknownOption(subcommand, args, text) ?? withNearestChoice(withMeaning(subcommand, text));
      subcommand.configureOutput({ outputError: (text, write) => write(explain(text)) });
    }
  }
  return program;
}

/** Runs a command to its end and sets the exit code of the process. */
export async function main(args: readonly string[]): Promise<void> {
  startAnnouncing();
  try {
    const tooOld = findNodeProblem(process.versions.node);
    if (tooOld !== undefined) throw new UsageError(tooOld);
    refuseMissingVerb(args);
    const program = createProgram(args);
    await program.parseAsync(listMeantArguments(program, args), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version were requested; anything else is a usage error that commander has printed.
      finish(error.exitCode === 0 ? 0 : USAGE_ERROR);
    } else if (error instanceof UsageError) {
      if (error instanceof ConfigurationError) process.stderr.write(renderMistakes(error, process.stderr));
      process.stderr.write(`lintel: ${error.message}\n`);
      finish(USAGE_ERROR);
    } else if (error instanceof InterruptedError) {
      process.stderr.write(`lintel: ${error.message}\n`);
      finish(INTERRUPTED);
    } else {
      process.stderr.write(
        `lintel: internal error, please report it with the text below\nlintel ${VERSION}, node ${process.version}, ${process.platform}\n${(error as Error).stack ?? String(error)}\n`,
      );
      finish(INTERNAL_ERROR);
    }
  }
}

/**
 * The arguments as the user meant them. The parser knows neither `lintel -v` nor `lintel version`, and for an unknown command it answers
 * `--help` and `help` with the help of the whole program.
 */
function listMeantArguments({ commands }: Command, args: readonly string[]): string[] {
  // Options of the program come before its commands, but people type this option after a command as well.
  const asksVersion = args.includes('--version') || args.includes('-V');
  if (asksVersion || (args.length === 1 && ['-v', 'version'].includes(args[0] ?? ''))) return ['--version'];
  const [first = '-', topic = '-'] = args;
  const isHelpOfCommand = first === 'help' && !topic.startsWith('-');
  const meant = isHelpOfCommand ? [...args.slice(1).filter(word => word !== 'help'), '--help'] : [...args];
  const [name = '-'] = meant;
  const isKnown = name === 'help' || name.startsWith('-') || commands.some(command => command.name() === name);
  return isKnown ? meant : meant.filter(arg => arg !== '--help' && arg !== '-h');
}
