/** Commands that show which callers can call which tools. */
import { Argument, type Command, Option } from 'commander';
import { ANSWER_FORMATS, MATRIX_FORMATS } from '../analysis/access/index.ts';
import { FAIL_ON } from '../analysis/exposure/difference/fail-on.ts';
import { DIFFERENCE_FORMATS } from '../analysis/exposure/difference/render/index.ts';
import { EXPOSURE_FORMATS } from '../analysis/exposure/render/index.ts';
import { CAN_VERBS, can } from '../commands/can.ts';
import { canSee } from '../commands/can-see.ts';
import { diff } from '../commands/diff.ts';
import { exposure } from '../commands/exposure.ts';
import { find } from '../commands/find.ts';
import { matrix } from '../commands/matrix.ts';
import { FIND_FORMATS } from '../find/render.ts';
import { exitCodesHelp, USAGE_OR_CONFIGURATION } from './exit-codes.ts';
import { finish } from './finish.ts';
import { parseNotEmpty } from './option-values.ts';
import { withCatalog, withPaths, withPrograms } from './options.ts';

const CLAIMS_HELP =
  'the caller: NAME,groups=GROUP,claim=VALUE; or the claims of its token as JSON or as a JSON file; or - to read the claims from standard input; or anonymous for a caller without a token (default: anonymous)';

const FIND_CLAIMS_HELP =
  'search only tools that this caller may call: NAME,groups=GROUP,claim=VALUE; or the claims of its token as JSON or as a JSON file; or - to read the claims from standard input; or anonymous (default: search every tool)';

const EMBEDDING_URL_HELP =
  'search by meaning too, with the embedding service at this URL; the service must speak the protocol that the spec names, and gets the texts of all tools';

const EXPOSURE_EXIT_CODES = exitCodesHelp({
  0: 'shown',
  1: 'the specs have errors; the output leaves out the objects with errors',
  2: USAGE_OR_CONFIGURATION,
  3: 'could not check completely',
});

const CAN_EXIT_CODES = exitCodesHelp({
  0: 'allowed',
  1: 'denied',
  2: USAGE_OR_CONFIGURATION,
  3: 'unknown: the specs have errors or lack the policies, or the tool lock lacks the tool',
});

const FIND_EXIT_CODES = exitCodesHelp({
  0: 'a tool is found',
  1: 'no tool is found',
  2: `${USAGE_OR_CONFIGURATION}, or the embedding service did not answer`,
  3: 'unknown: the specs have errors, or the tool lock lacks backends',
});

const MATRIX_EXIT_CODES = exitCodesHelp({
  0: 'the matrix is shown, or is as expected',
  1: 'the matrix is not as expected',
  2: USAGE_OR_CONFIGURATION,
  3: 'some answers are unknown',
});

const SIDE_HELP =
  'a file or folder of specs, a folder that `lintel build` wrote or a bundle in it, or a file that `lintel exposure --format json` wrote';

const DIFF_EXIT_CODES = exitCodesHelp({
  0: 'no difference, or none of the kind that --fail-on names',
  1: 'there are differences, and everything was compared',
  2: USAGE_OR_CONFIGURATION,
  3: 'a part was not compared, because of an error or a missing tool lock',
});

export function addAccessCommands(program: Command): void {
  withCatalog(withPaths(program.command('exposure')))
    .description(
      'Show which callers can reach each tool, prompt and resource, or each route of a registry server, and which credential each backend gets.',
    )
    .addOption(new Option('--format <format>', 'output format').choices(EXPOSURE_FORMATS).default('pretty'))
    .option('--output <file>', 'file to write to (default: standard output)', parseNotEmpty)
    .option(
      '--gateway <name>',
      'only this gateway or server: name or namespace/name (default: everything)',
      parseNotEmpty,
    )
    .option(
      '--registry <name>',
      'only this registry server: name or namespace/name (default: everything)',
      parseNotEmpty,
    )
    .addHelpText('after', EXPOSURE_EXIT_CODES)
    .action(async (paths, options) => finish(await exposure(paths, options)));
  withCatalog(withPrograms(program.command('diff')))
    .addArgument(new Argument('<before>', SIDE_HELP).argParser(parseNotEmpty))
    .addArgument(
      new Argument('<after>', 'the specs, bundle or exposure to compare with <before>').argParser(parseNotEmpty),
    )
    .description('Compare two states of specs, and show what the change permits and forbids, and for which callers.')
    .addOption(new Option('--format <format>', 'output format').choices(DIFFERENCE_FORMATS).default('pretty'))
    .option('--output <file>', 'file to write to (default: standard output)', parseNotEmpty)
    .addOption(
      new Option(
        '--fail-on <kind>',
        'which differences cause exit code 1: any; wider: those that may permit callers more, or that the report shows under "Look at these first"; alarm: only those under "Look at these first"',
      )
        .choices(FAIL_ON)
        .default('any'),
    )
    .addHelpText('after', DIFF_EXIT_CODES)
    .action(async (before, after, options) => finish(await diff(before, after, options)));
  const canCommand = program
    .command('can')
    .addArgument(new Argument('<what>', 'what the caller wants to do').choices(CAN_VERBS))
    .addArgument(
      new Argument(
        '<name>',
        'the tool or prompt as clients see it, the URI of a resource, the registry, or REGISTRY/SOURCE for the entries of a source',
      ).argParser(parseNotEmpty),
    );
  withCatalog(withPaths(canCommand))
    .description(
      'Show whether a caller may call a tool, get a prompt, read a resource or see a registry, and which policy or claim decides.',
    )
    .option('--as <claims>', CLAIMS_HELP, parseNotEmpty)
    .option(
      '--args <json>',
      'arguments as JSON, such as \'{"amount": 5}\', or as a JSON file, or - for standard input (default: none)',
      parseNotEmpty,
    )
    .option(
      '--gateway <name>',
      'name or namespace/name (for a server: MCPServer/name), when the sources describe several gateways or servers',
      parseNotEmpty,
    )
    .option(
      '--registry <name>',
      'with see: name or namespace/name, when the sources describe several registry servers',
      parseNotEmpty,
    )
    .addOption(new Option('--format <format>', 'output format').choices(ANSWER_FORMATS).default('text'))
    .addHelpText('after', CAN_EXIT_CODES)
    .action(async (what, name, paths, options) =>
      finish(await (what === 'see' ? canSee(name, paths, options) : can(what, name, paths, options))),
    );
  const findCommand = program
    .command('find')
    .addArgument(
      new Argument('<words>', 'what the tool should do, as a sentence or a few words').argParser(parseNotEmpty),
    );
  withCatalog(withPaths(findCommand))
    .description("Show which tools a gateway's optimizer finds for a query. Works offline, from the tool lock.")
    .option('--as <claims>', FIND_CLAIMS_HELP, parseNotEmpty)
    .option('--embedding-url <url>', EMBEDDING_URL_HELP, parseNotEmpty)
    .option('--gateway <name>', 'name or namespace/name, when the sources describe several gateways', parseNotEmpty)
    .addOption(new Option('--format <format>', 'output format').choices(FIND_FORMATS).default('text'))
    .addHelpText('after', FIND_EXIT_CODES)
    .action(async (words, paths, options) => finish(await find(words, paths, options)));
  withCatalog(withPaths(program.command('matrix')))
    .description(
      'Show what each of several callers may do at gateways and see at registry servers, or compare it with an expected matrix.',
    )
    .requiredOption(
      '--as <dir>',
      'folder of callers: ann.json contains the claims of ann\'s token, such as {"sub": "ann", "groups": ["staff"]}',
      parseNotEmpty,
    )
    .addOption(new Option('--format <format>', 'output format').choices(MATRIX_FORMATS).default('text'))
    .option('--output <file>', 'file to write to (default: standard output)', parseNotEmpty)
    .option(
      '--gateway <name>',
      'only this gateway or server: name or namespace/name (for a server: MCPServer/name) (default: everything)',
      parseNotEmpty,
    )
    .option(
      '--registry <name>',
      'only this registry server: name or namespace/name (default: everything)',
      parseNotEmpty,
    )
    .addOption(
      new Option('--expect <file>', 'compare with this file, which --format json wrote, and print the differences')
        .argParser(parseNotEmpty)
        .conflicts(['format', 'output']),
    )
    .addHelpText('after', MATRIX_EXIT_CODES)
    .action(async (paths, options) => finish(await matrix(paths, options)));
}
