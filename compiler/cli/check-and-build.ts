/** Commands that check specs, and write bundles, tool locks and baselines. */
import { type Command, Option } from 'commander';
import { BRIDGE_IMAGE, LOCK_FILE, RUNTIME_IMAGE, TYPES_FILE } from '#schemas';
import { baseline } from '../commands/baseline.ts';
import { build } from '../commands/build.ts';
import { check } from '../commands/check.ts';
import { watchCheck } from '../commands/check-watch.ts';
import { parseDenial } from '../commands/denial.ts';
import { LOCK_FORMATS, lock } from '../commands/lock.ts';
import { parseTypesArgument } from '../commands/lock-types.ts';
import { type OutputArgument, pairOutputs } from '../commands/outputs.ts';
import { test } from '../commands/test.ts';
import { parseDurationMs } from '../text/duration.ts';
import { UsageError } from '../usage-error.ts';
import { exitCodesHelp, USAGE_OR_CONFIGURATION } from './exit-codes.ts';
import { finish } from './finish.ts';
import {
  collect,
  loadVariables,
  parseFolderName,
  parseImageName,
  parseNotEmpty,
  parsePercent,
  parseTimeout,
} from './option-values.ts';
import {
  DENY_PRIVATE_HELP,
  ENV_FILE_HELP,
  failOn,
  PRIVATE_BACKEND_HELP,
  withCatalog,
  withOutputs,
  withPaths,
} from './options.ts';

const CHECK_EXIT_CODES = exitCodesHelp({
  0: 'clean',
  1: 'findings at or above --fail-on',
  2: USAGE_OR_CONFIGURATION,
  3: 'could not check completely',
});

const BUILD_EXIT_CODES = exitCodesHelp({
  0: 'everything is written',
  1: 'findings at or above --fail-on; objects with errors are not written',
  2: USAGE_OR_CONFIGURATION,
  3: 'could not check completely',
});

const BASELINE_EXIT_CODES = exitCodesHelp({
  0: 'written, or nothing to remove',
  1: 'with --check: --prune would remove something',
  2: USAGE_OR_CONFIGURATION,
  3: 'could not check completely: nothing is written',
});

const LOCK_EXIT_CODES = exitCodesHelp({
  0: 'every backend answered; the tool lock is written, or unchanged',
  1: 'with --check: the backends offer other items than the tool lock lists',
  2: USAGE_OR_CONFIGURATION,
  3: 'a backend did not answer, or the specs have errors, so that not all backends are known',
});

const TEST_EXIT_CODES = exitCodesHelp({
  0: 'every test passes',
  1: 'a test fails, is invalid or is not run, the specs have errors, or the coverage is too low',
  2: `${USAGE_OR_CONFIGURATION}, or there are no tests`,
  3: 'could not check completely',
});

export function addBuildCommands(program: Command): void {
  const checkOutputs: OutputArgument[] = [];
  withOutputs(withCatalog(withPaths(program.command('check'))), checkOutputs)
    .description('Check specs and print every finding.')
    .option(
      '--language-only',
      'check only whether the specs are valid: a field that this version cannot serve yet is a hint instead of an error',
    )
    .addOption(failOn())
    .option('--fix', 'correct misspelt fields, kinds and values; never a part that decides which caller may call what')
    .option('--dry-run', 'with --fix: print the change as a unified diff, and change no file')
    .addOption(new Option('--watch', 'check again after each change, until Ctrl-C').conflicts(['fix', 'dryRun']))
    .addHelpText('after', CHECK_EXIT_CODES)
    .action(async (paths = [], options) => {
      const { fix = false, dryRun = false, watch = false } = options;
      if (dryRun && !fix) throw new UsageError('--dry-run needs --fix: add it');
      if (dryRun && checkOutputs.length > 0)
        throw new UsageError('--dry-run prints a diff instead of findings: leave out --format and --output');
      if (fix && paths.includes('-')) throw new UsageError('--fix changes files, and standard input is not a file');
      if (watch && paths.includes('-')) throw new UsageError('--watch needs files: standard input cannot change');
      const isFormatGiven = checkOutputs.length > 0;
      const checkOptions = { ...options, outputs: pairOutputs(checkOutputs) };
      finish(await (watch ? watchCheck(paths, { ...checkOptions, isFormatGiven }) : check(paths, checkOptions)));
    });
  const buildOutputs: OutputArgument[] = [];
  const buildCommand = withPaths(program.command('build'))
    .description(
      'Check specs and write a bundle for every gateway, MCPServer, MCPRemoteProxy and registry server without errors.',
    )
    .requiredOption(
      '--out <dir>',
      'folder for the bundles and their index.json; must contain no specs',
      parseFolderName,
    )
    .option('--revision <text>', 'source revision recorded in the bundles, such as main@sha1:0123…')
    .option(
      '--manifests <dir>',
      'also write the Kubernetes objects that run each bundle, as NAMESPACE/KIND-NAME.yaml, and a kustomization.yaml',
      parseFolderName,
    )
    .option('--image <image>', `image of the runtime in the manifests (default ${RUNTIME_IMAGE})`, parseImageName)
    .option('--bridge-image <image>', `image of the bridge for stdio servers (default ${BRIDGE_IMAGE})`, parseImageName)
    .option('--no-network-policy', 'write no NetworkPolicy into the manifests');
  withOutputs(withCatalog(buildCommand), buildOutputs)
    .addOption(failOn())
    .addHelpText('after', BUILD_EXIT_CODES)
    .action(async (paths, { manifests: folder, image, bridgeImage, networkPolicy, ...options }) => {
      if (folder === undefined && (image !== undefined || bridgeImage !== undefined || !networkPolicy))
        throw new UsageError('--image, --bridge-image and --no-network-policy need --manifests <dir>: add it');
      const manifests = folder === undefined ? undefined : { folder, settings: { image, bridgeImage, networkPolicy } };
      finish(await build(paths, { ...options, outputs: pairOutputs(buildOutputs), manifests }));
    });
  const testOutputs: OutputArgument[] = [];
  withOutputs(
    withCatalog(
      withPaths(
        program.command('test'),
        'name of an environment variable that programs may read; with --record, specs may refer to it too, in addition to LINTEL_…; repeatable',
      ),
    ),
    testOutputs,
  )
    .description(
      'Run the tests of workflows, *.test.yaml next to the specs, with the engine of the gateway. Works offline, except for --record.',
    )
    .option(
      '--min-coverage <percent>',
      'fail if the tests cover fewer steps and branches of a workflow than this',
      parsePercent,
    )
    .option(
      '--record',
      "where a test has no answer for a tool, call the backend's tool and write its answer into the test; where a test expects no result, write the result too; calls only tools that are marked as read-only",
    )
    .option('--allow-writes', 'with --record: also call tools that are not marked as read-only')
    .option(
      '--token <backend=source>',
      'with --record: a bearer token for a backend, from a variable (env:NAME) or a file (file:PATH); repeatable',
      collect,
    )
    .option('--url <backend=url>', 'with --record: call a backend at another URL; repeatable', collect)
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .addOption(
      new Option('--timeout <duration>', 'with --record: time limit for one call, such as 30s')
        .default('60s')
        .argParser(parseTimeout),
    )
    .addHelpText('after', TEST_EXIT_CODES)
    .action(async (paths = [], { record, allowWrites = false, token, url, timeout, ...options }) => {
      if (record !== true && (allowWrites || token !== undefined || url !== undefined))
        throw new UsageError('--allow-writes, --token and --url need --record: add it');
      const denial = parseDenial(options);
      const live = { allowWrites, token, url, env: options.env, denial, timeoutMs: parseDurationMs(timeout) };
      const outputs = pairOutputs(testOutputs);
      finish(await test(paths, { ...options, outputs, record: record === true ? live : undefined }));
    });
  withPaths(program.command('baseline'))
    .description('Record the current findings in a baseline, so that only new findings count.')
    .option('--prune', 'only remove findings that no longer occur')
    .addOption(
      new Option('--check', 'change nothing; exit with 1 when --prune would remove something').conflicts('prune'),
    )
    .addHelpText('after', BASELINE_EXIT_CODES)
    .action(async (paths, options) => finish(await baseline(paths, options)));
  withPaths(
    program.command('lock'),
    'name of an environment variable that programs may read, and that specs may refer to in addition to LINTEL_…; repeatable',
  )
    .description('List what the backends of specs offer, and write it to the tool lock. Uses the network.')
    .option(
      '--out <file>',
      `file of the tool lock (default: the file that \`lintel check\` uses, else a new ${LOCK_FILE} in the current folder)`,
      parseNotEmpty,
    )
    .option('--check', 'write nothing; exit with 1 when the backends offer other items than the tool lock lists')
    .option('--prune', 'remove entries of backends that are not in the specs')
    .option(
      '--types [file]',
      `write TypeScript types of the tools too, to this .ts file (default: ${TYPES_FILE} next to the tool lock; once the file exists, it is updated without this option)`,
    )
    .addOption(
      new Option('--offline', 'query no backend: only write (or --check) the types of the current tool lock').conflicts(
        ['prune', 'backend', 'token', 'env', 'url'],
      ),
    )
    .option('--backend <backend>', 'query only this backend, by name or key; repeatable', collect)
    .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
    .option(
      '--token <backend=source>',
      'a bearer token for a backend, from a variable (env:NAME) or a file (file:PATH); repeatable',
      collect,
    )
    .option('--url <backend=url>', 'query a backend at another URL, such as a forwarded port; repeatable', collect)
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .addOption(
      new Option('--timeout <duration>', 'time limit for one backend, such as 30s')
        .default('60s')
        .argParser(parseTimeout),
    )
    .addOption(new Option('--format <format>', 'format of the difference').choices(LOCK_FORMATS).default('pretty'))
    .addHelpText('after', LOCK_EXIT_CODES)
    .action(async (paths, { timeout, types, ...options }) => {
      const meant = parseTypesArgument(types, paths);
      finish(await lock(meant.paths, { ...options, types: meant.types, timeoutMs: parseDurationMs(timeout) }));
    });
}
