/** Commands that check specs, and write bundles, tool locks and baselines. */
import { type Command, Option } from 'commander';
import { BRIDGE_IMAGE, LOCK_FILE, RUNTIME_IMAGE, TYPES_FILE } from '#schemas';
import { baseline } from '../commands/baseline.ts';
import { build } from '../commands/build.ts';
import { check } from '../commands/check.ts';
import { watchCheck } from '../commands/check-watch.ts';
import { parseDenial } from '../commands/denial.ts';
import { LOCK_FORMATS, lock } from '../commands/lock.ts';
import { typesArgument } from '../commands/lock-types.ts';
import { type OutputArgument, pairOutputs } from '../commands/outputs.ts';
import { test } from '../commands/test.ts';
import { durationMs } from '../text/duration.ts';
import { UsageError } from '../usage-error.ts';
import { exitCodesHelp, USAGE_OR_CONFIGURATION } from './exit-codes.ts';
import { finish } from './finish.ts';
import { collect, folderName, imageName, loadVariables, notEmpty, percentText, timeoutText } from './option-values.ts';
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
  1: 'findings at or above --fail-on; what has errors is not written',
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
  0: 'every backend has answered, and the lock is written or as it was',
  1: 'with --check: the backends offer something else',
  2: USAGE_OR_CONFIGURATION,
  3: 'a backend did not answer, or the specs have errors that hide some',
});

const TEST_EXIT_CODES = exitCodesHelp({
  0: 'every test passes',
  1: 'a test fails or has mistakes, the specs have errors, or too little is covered',
  2: `${USAGE_OR_CONFIGURATION}, or no tests`,
  3: 'could not check completely',
});

export function addBuildCommands(program: Command): void {
  const checkOutputs: OutputArgument[] = [];
  withOutputs(withCatalog(withPaths(program.command('check'))), checkOutputs)
    .description('Check specs and print every finding.')
    .option(
      '--language-only',
      'check the specs alone: what this version cannot serve yet is a hint instead of an error',
    )
    .addOption(failOn())
    .option(
      '--fix',
      'change what has a safe fix: misspelt fields, kinds and values; never what decides who may call what',
    )
    .option('--dry-run', 'with --fix: print the change as a unified diff, and change no file')
    .addOption(new Option('--watch', 'check again after each change, until Ctrl-C').conflicts(['fix', 'dryRun']))
    .addHelpText('after', CHECK_EXIT_CODES)
    .action(async (paths = [], options) => {
      const { fix = false, dryRun = false, watch = false } = options;
      if (dryRun && !fix) throw new UsageError('--dry-run is about --fix: add it');
      if (dryRun && checkOutputs.length > 0)
        throw new UsageError('--dry-run prints a diff instead of findings: leave out --format and --output');
      if (fix && paths.includes('-')) throw new UsageError('--fix changes files; standard input is none');
      if (watch && paths.includes('-')) throw new UsageError('--watch is about files; standard input cannot change');
      const isFormatGiven = checkOutputs.length > 0;
      const given = { ...options, outputs: pairOutputs(checkOutputs) };
      finish(await (watch ? watchCheck(paths, { ...given, isFormatGiven }) : check(paths, given)));
    });
  const buildOutputs: OutputArgument[] = [];
  const buildCommand = withPaths(program.command('build'))
    .description(
      'Check specs and write a bundle for every gateway, MCPServer, MCPRemoteProxy and registry server without errors.',
    )
    .requiredOption('--out <dir>', 'folder for the bundles and their index.json', folderName)
    .option('--revision <text>', 'source revision recorded in the bundles, such as main@sha1:0123…')
    .option(
      '--manifests <dir>',
      'also write the Kubernetes objects that run each of them, as NAMESPACE/KIND-NAME.yaml, and a kustomization.yaml',
      folderName,
    )
    .option('--image <image>', `image of the runtime in the manifests (default ${RUNTIME_IMAGE})`, imageName)
    .option(
      '--bridge-image <image>',
      `image of the bridge for servers that speak over their standard streams (default ${BRIDGE_IMAGE})`,
      imageName,
    )
    .option('--no-network-policy', 'no NetworkPolicy in the manifests');
  withOutputs(withCatalog(buildCommand), buildOutputs)
    .addOption(failOn())
    .addHelpText('after', BUILD_EXIT_CODES)
    .action(async (paths, { manifests: folder, image, bridgeImage, networkPolicy, ...options }) => {
      if (folder === undefined && (image !== undefined || bridgeImage !== undefined || !networkPolicy))
        throw new UsageError(
          '--image, --bridge-image and --no-network-policy are about manifests: add --manifests <dir>',
        );
      const manifests = folder === undefined ? undefined : { folder, settings: { image, bridgeImage, networkPolicy } };
      finish(await build(paths, { ...options, outputs: pairOutputs(buildOutputs), manifests }));
    });
  const testOutputs: OutputArgument[] = [];
  withOutputs(
    withCatalog(
      withPaths(
        program.command('test'),
        'environment variable that specs in TypeScript get and, with --record, that specs may name in addition to LINTEL_…; repeatable',
      ),
    ),
    testOutputs,
  )
    .description(
      'Run the tests of workflows, *.test.yaml next to the specs, with the engine of the gateway. Works offline, except for --record.',
    )
    .option('--min-coverage <percent>', 'least share of the steps and branches of each workflow', percentText)
    .option(
      '--record',
      'call the tools of backends where tests have no answer, and write the answers into the tests, and what the run came to where they expect nothing; only tools that are said to be read-only',
    )
    .option('--allow-writes', 'with --record: call the other tools too, which may change something')
    .option(
      '--token <backend=source>',
      'with --record: where its bearer token is: env:NAME or file:PATH; repeatable',
      collect,
    )
    .option('--url <backend=url>', 'with --record: ask a backend at another address; repeatable', collect)
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .addOption(
      new Option('--timeout <duration>', 'with --record: time for one call, such as 30s')
        .default('60s')
        .argParser(timeoutText),
    )
    .addHelpText('after', TEST_EXIT_CODES)
    .action(async (paths = [], { record, allowWrites = false, token, url, timeout, ...options }) => {
      if (record !== true && (allowWrites || token !== undefined || url !== undefined))
        throw new UsageError('--allow-writes, --token and --url are about --record: add it');
      const denial = parseDenial(options);
      const live = { allowWrites, token, url, env: options.env, denial, timeoutMs: durationMs(timeout) };
      const outputs = pairOutputs(testOutputs);
      finish(await test(paths, { ...options, outputs, record: record === true ? live : undefined }));
    });
  withPaths(program.command('baseline'))
    .description('Record the findings of today in a baseline, so that only new findings count.')
    .option('--prune', 'only remove findings that no longer occur')
    .addOption(
      new Option('--check', 'change nothing; exit with 1 when --prune would remove something').conflicts('prune'),
    )
    .addHelpText('after', BASELINE_EXIT_CODES)
    .action(async (paths, options) => finish(await baseline(paths, options)));
  withPaths(
    program.command('lock'),
    'environment variable that specs may name besides LINTEL_…, and that programs get; repeatable',
  )
    .description('Ask the backends of specs what they offer, and write the answers to the tool lock. Uses the network.')
    .option(
      '--out <file>',
      `file of the tool lock (default: the one that --catalog of check would be, else a new ${LOCK_FILE} here)`,
      notEmpty,
    )
    .option('--check', 'write nothing; exit with 1 when the backends offer something else')
    .option('--prune', 'remove entries of backends that the specs do not have')
    .option(
      '--types [file]',
      `write TypeScript types of the tools too, to this .ts file (default: ${TYPES_FILE} next to the tool lock; once there, it is kept current without this option)`,
    )
    .addOption(
      new Option('--offline', 'ask no backend: only write, or --check, the types of the tool lock as it is').conflicts([
        'prune',
        'backend',
        'token',
        'env',
        'url',
      ]),
    )
    .option('--backend <backend>', 'ask this one only, by name or key; repeatable', collect)
    .option('--dotenv <file>', ENV_FILE_HELP, loadVariables)
    .option('--token <backend=source>', 'where its bearer token is: env:NAME or file:PATH; repeatable', collect)
    .option('--url <backend=url>', 'ask a backend at another address, such as a forwarded port; repeatable', collect)
    .option('--deny-private-backends', DENY_PRIVATE_HELP)
    .option('--private-backend <host>', PRIVATE_BACKEND_HELP, collect)
    .addOption(
      new Option('--timeout <duration>', 'time for one backend, such as 30s').default('60s').argParser(timeoutText),
    )
    .addOption(new Option('--format <format>', 'how the difference is written').choices(LOCK_FORMATS).default('pretty'))
    .addHelpText('after', LOCK_EXIT_CODES)
    .action(async (paths, { timeout, types, ...options }) => {
      const meant = typesArgument(types, paths);
      finish(await lock(meant.paths, { ...options, types: meant.types, timeoutMs: durationMs(timeout) }));
    });
}
