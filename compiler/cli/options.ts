/** Options that several commands have. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { LOCK_FILE } from '#schemas';
import { isFormat, type OutputArgument } from '../commands/outputs.ts';
import { LOG_FORMATS } from '../commands/serving/runtime-process.ts';
import { FORMATS } from '../diagnostics/render/index.ts';
import { parseDurationMs } from '../text/duration.ts';
import {
  collect,
  collectOrigins,
  collectPaths,
  loadVariables,
  parseAddress,
  parseNotEmpty,
  parsePort,
  parseTimeout,
  parseVariableNames,
} from './option-values.ts';

const PATH_HELP =
  'files, programs (app.ts), folders (searched for .yaml, .yml and .json), or - for standard input (default: the sources of lintel.yaml)';

const ENV_HELP =
  'name of an environment variable that programs may read; programs get no other variables, and stdio servers do not get this one; repeatable';

const CATALOG_HELP = `tool lock that \`lintel lock\` wrote (default: the file that lintel.yaml names, else the ${LOCK_FILE} nearest to the given paths, else the one nearest to the current folder)`;

export const ENV_FILE_HELP =
  'file of environment variables, such as .env; variables that are already set keep their values; repeatable';

export const DENY_PRIVATE_HELP =
  'connect to no backend, token endpoint or upstream registry at a private or loopback address, even if the specs permit it; Services of a cluster count as private';

export const PRIVATE_BACKEND_HELP =
  'exception to --deny-private-backends: a host name, *.DOMAIN or an address; repeatable';

export const withPrograms = <C extends Command>(command: C, envHelp = ENV_HELP): C =>
  command
    .option('--no-typecheck', 'do not check the types of programs')
    .option('--allow-network', 'allow programs to use the network; their results may then differ between runs')
    .option('--env <variable>', envHelp, parseVariableNames)
    .addOption(
      new Option('--synth-timeout <duration>', 'time limit for one program, such as 30s (default: 30s)').argParser(
        text => parseDurationMs(parseTimeout(text)),
      ),
    ) as C;

export const withPaths = (command: Command, envHelp?: string) =>
  withPrograms(command, envHelp)
    .addArgument(new Argument('[path...]', PATH_HELP).argParser(collectPaths))
    .option(
      '--config <file>',
      'configuration file (default: the lintel.yaml nearest to the given paths, else the one nearest to the current folder; folders above the root of the repository are not searched)',
      parseNotEmpty,
    )
    .option('--no-config', 'read no lintel.yaml');

export const withCatalog = <C extends Command>(command: C): C =>
  command.option('--catalog <file>', CATALOG_HELP, parseNotEmpty) as C;

export const failOn = () =>
  new Option(
    '--fail-on <severity>',
    'lowest severity that makes the exit code 1 (default: failOn of lintel.yaml, or error)',
  ).choices(['error', 'warning', 'hint']);

export const withListen = (command: Command) =>
  command
    .option(
      '--gateway <name>',
      'name or namespace/name, when the sources describe more than one gateway',
      parseNotEmpty,
    )
    .option(
      '--registry <name>',
      'name or namespace/name, when the sources describe more than one registry server',
      parseNotEmpty,
    )
    .option('--host <host>', 'address on which clients connect (default 127.0.0.1)', parseNotEmpty)
    .option(
      '--port <port>',
      'port on which clients connect, 0 for any free one (default 4483; for a registry server 8080)',
      parsePort,
    )
    .option(
      '--internal-address <address>',
      'host:port of /health, /version, /status and more (default 127.0.0.1:8081)',
      parseAddress,
    )
    .option(
      '--allowed-origin <origin>',
      'web origin that may call in addition to local pages; repeatable',
      collectOrigins,
    )
    .option(
      '--state-dir <dir>',
      'folder where a registry server stores the last entries of its sources, and where a gateway stores the embeddings of its tools',
      parseNotEmpty,
    )
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
    .addOption(
      new Option('--log-format <format>', 'format of the log (default: text on a terminal, else json)').choices(
        LOG_FORMATS,
      ),
    );

/** `--format` and `--output`, recorded in `outputArguments` in their order: a file belongs to a format by its position. */
export function withOutputs<C extends Command>(command: C, outputArguments: OutputArgument[]): C {
  const format = new Option('--format <format>', 'format of findings; repeatable')
    .choices(FORMATS)
    .default('pretty')
    .argParser(text => {
      if (!isFormat(text)) throw new InvalidArgumentError(`Allowed choices are ${FORMATS.join(', ')}.`);
      outputArguments.push({ format: text });
      return text;
    });
  const output = new Option(
    '--output <file>',
    'file for the output in the preceding --format (default: standard output)',
  ).argParser(text => {
    outputArguments.push({ file: parseNotEmpty(text) });
    return text;
  });
  const all = new Option('--all', 'show every finding, not only the first ones of each code');
  command.addOption(format).addOption(output).addOption(all);
  return command;
}
