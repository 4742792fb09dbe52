/** Commands that serve specs, and watch what is served. */
import { Argument, type Command, Option } from 'commander';
import { INTERNAL_PORT } from '#schemas';
import { auditVerify, VERDICT_FORMATS } from '../commands/audit-verify.ts';
import { dev } from '../commands/dev.ts';
import { serve } from '../commands/serve.ts';
import { top } from '../commands/top.ts';
import { VERIFY_FORMATS, verify } from '../commands/verify.ts';
import { parseDurationMs } from '../text/duration.ts';
import { exitCodesHelp, USAGE, USAGE_OR_CONFIGURATION } from './exit-codes.ts';
import { finish } from './finish.ts';
import { collect, collectPaths, parseNotEmpty, parseTimeout } from './option-values.ts';
import { withCatalog, withListen, withPaths } from './options.ts';

/** Where `lintel serve` and `lintel dev` show their status by default. */
const LOCAL_STATUS = `http://127.0.0.1:${INTERNAL_PORT}`;

const DEV_AS_HELP =
  'UNSAFE, for trying policies without an identity provider: issue a token for this caller, and accept no tokens but those of this command. Write the caller as NAME,groups=GROUP,claim=VALUE, as the JSON of its claims, as a JSON file with them, or as - to read them from standard input; repeatable';

const AUDIT_HEAD_HELP =
  'hash that the newest record must have: audit.chainHead in /status; without this option, it is not detected when the newest records were removed';

const SERVE_EXIT_CODES = exitCodesHelp({
  0: 'ended by Ctrl-C or another signal',
  1: 'the specs have errors',
  2: `${USAGE_OR_CONFIGURATION}, or a secret or a free port is missing`,
  3: 'could not check completely',
});

const DEV_EXIT_CODES = exitCodesHelp({
  0: 'ended by Ctrl-C or another signal',
  2: `${USAGE_OR_CONFIGURATION}, or a secret or a free port is missing`,
});

const AUDIT_EXIT_CODES = exitCodesHelp({
  0: 'every record is unchanged and in its place',
  1: 'a record was changed, moved or removed, or the chain is interrupted',
  2: USAGE_OR_CONFIGURATION,
  3: 'no record has a hash chain',
});

const TOP_EXIT_CODES = exitCodesHelp({
  0: 'shown',
  2: USAGE,
  3: 'the status of the gateway could not be read',
});

const VERIFY_EXIT_CODES = exitCodesHelp({
  0: 'it serves the bundle of the specs',
  1: 'it serves another bundle, or the specs do not describe it',
  2: USAGE_OR_CONFIGURATION,
  3: 'unknown: its status could not be read, the specs have errors, or another version of Lintel built its bundle',
});

export function addServingCommands(program: Command): void {
  withListen(withCatalog(withPaths(program.command('serve'))))
    .description('Compile specs and serve one gateway or registry server.')
    .addHelpText('after', SERVE_EXIT_CODES)
    .action(async (paths, options) => finish(await serve(paths, options)));
  withListen(withCatalog(withPaths(program.command('dev'))))
    .description('Serve one gateway or registry server and follow changes of the specs without dropping sessions.')
    .option('--as <caller>', DEV_AS_HELP, collect)
    .addHelpText('after', DEV_EXIT_CODES)
    .action(async (paths, options) => finish(await dev(paths, options)));
  program
    .command('top')
    .addArgument(
      new Argument('[url]', 'internal address of the gateway').argParser(parseNotEmpty).default(LOCAL_STATUS),
    )
    .description(
      'Show backends, sessions, calls, workflows and limits of a running gateway, live on a terminal (q ends it), otherwise once. Uses the network.',
    )
    .option('--once', 'print once, on a terminal too')
    .addOption(
      new Option('--interval <duration>', 'time between two updates, such as 500ms')
        .default(2_000, '2s')
        .argParser(text => parseDurationMs(parseTimeout(text))),
    )
    .addHelpText('after', TOP_EXIT_CODES)
    .action(async (url, options) => finish(await top(url, options)));
  withCatalog(
    withPaths(
      program
        .command('verify')
        .addArgument(
          new Argument('<url>', 'internal address of the gateway or registry server').argParser(parseNotEmpty),
        ),
    ),
  )
    .description(
      'Verify that a running gateway or registry server serves the bundle of these specs, or of a folder that `lintel build` wrote. Uses the network.',
    )
    .addOption(new Option('--format <format>', 'output format').choices(VERIFY_FORMATS).default('text'))
    .addHelpText('after', VERIFY_EXIT_CODES)
    .action(async (url, paths, options) => finish(await verify(url, paths, options)));
  const audit = program
    .command('audit')
    .helpCommand(false)
    .description('Verify the audit log of a gateway or registry server.');
  audit
    .command('verify')
    .description(
      'Verify the hash chain of an audit log (LINTEL_AUDIT_CHAIN=true), together with its rotated files in any order.',
    )
    .addArgument(new Argument('<file...>', 'the log and its rotated files, also as .gz').argParser(collectPaths))
    .option('--head <hash>', AUDIT_HEAD_HELP, parseNotEmpty)
    .addOption(new Option('--format <format>', 'format of the result').choices(VERDICT_FORMATS).default('pretty'))
    .addHelpText('after', AUDIT_EXIT_CODES)
    .action(async (files, { head, format }) => finish(await auditVerify(files, { head, format })));
}
