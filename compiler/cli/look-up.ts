/** Commands that explain, convert and help. */
import { Argument, type Command, Option } from 'commander';
import { completeNames, completion, SHELLS } from '../commands/completion.ts';
import { explain } from '../commands/explain.ts';
import { EXPORT_LANGUAGES, exportSpecs } from '../commands/export.ts';
import { lsp } from '../commands/lsp.ts';
import { schema } from '../commands/schema.ts';
import { schemaCdk8s } from '../commands/schema-cdk8s.ts';
import { exitCodesHelp, USAGE, USAGE_OR_CONFIGURATION } from './exit-codes.ts';
import { finish } from './finish.ts';
import { parseNotEmpty } from './option-values.ts';
import { withCatalog, withPaths } from './options.ts';

const TOPIC_HELP =
  'such as LNT1003, VirtualMCPServer.spec.config, RegistryConfig.auth, lintel.yaml or lintel.lock.json (default: list all topics)';

const PRINT_EXIT_CODES = exitCodesHelp({ 0: 'printed or written', 2: USAGE });

const LSP_EXIT_CODES = exitCodesHelp({ 0: 'the editor ended the server' });

const EXPORT_EXIT_CODES = exitCodesHelp({
  0: 'written',
  1: 'not written: the specs or the program have errors',
  2: USAGE_OR_CONFIGURATION,
  3: 'could not check completely: nothing is written',
});

export function addLookUpCommands(program: Command): void {
  withCatalog(
    withPaths(
      program.command('export').addArgument(new Argument('<language>', 'what to write').choices(EXPORT_LANGUAGES)),
    ),
  )
    .description(
      'Convert specs into a TypeScript program of constructs (ts), or the objects of a program into specs (yaml).',
    )
    .addOption(
      new Option('--out <path>', 'file or folder to write to, or - for standard output')
        .default('-', 'standard output')
        .argParser(parseNotEmpty),
    )
    .option('--force', 'replace existing files', false)
    .addHelpText('after', EXPORT_EXIT_CODES)
    .action(async (language, paths, options) => finish(await exportSpecs(language, paths, options)));
  program
    .command('schema')
    .description('Write JSON Schemas for editors, CRDs for a cluster, the field reference, or constructs for cdk8s.')
    .addArgument(new Argument('<part>', 'what to write').choices(['json', 'crd', 'reference', 'cdk8s']))
    .requiredOption('--out <dir>', 'folder to write to', parseNotEmpty)
    .option('--group <group>', 'with cdk8s: API group of the constructs', parseNotEmpty)
    .addHelpText('after', PRINT_EXIT_CODES)
    .action(async (part, options) =>
      finish(part === 'cdk8s' ? await schemaCdk8s(options.out, options.group) : await schema(part, options)),
    );
  program
    .command('explain')
    .description('Explain a code, a kind or a field, offline.')
    .addArgument(new Argument('[topic]', TOPIC_HELP).argParser(parseNotEmpty))
    .addHelpText('after', PRINT_EXIT_CODES)
    .action(topic => finish(explain(topic)));
  program
    .command('lsp')
    .description('Run the language server for an editor, over standard input and output.')
    .option('--stdio', 'accepted because editors pass it; it is the only transport')
    // VS Code's client library passes this option; the server library then watches the given process.
    .addOption(new Option('--clientProcessId <id>', 'process id of the editor').hideHelp())
    .addHelpText('after', LSP_EXIT_CODES)
    .action(async () => await lsp());
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('Print a shell completion script for commands, options and names.')
    .addHelpText('after', PRINT_EXIT_CODES)
    .action(shell => finish(completion(program, shell)));
  program
    .command('complete-names', { hidden: true })
    .addArgument(new Argument('<kind>').choices(['gateway', 'registry']))
    .action(kind => finish(completeNames(kind)));
}
