import { globSync, readFileSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const conditions = ['lintel-source'];

/**
 * Node itself loads modules: it strips their types and caches the compiled code, where Vite would transform each module in each run. So no
 * test may call `vi.mock`.
 */
const native = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  execArgv: conditions.map(condition => `--conditions=${condition}`),
};

// Where Node keeps what it compiled, for the workers and the programs that tests start: a third of the time of a short one.
const compiled = join(import.meta.dirname, 'node_modules', '.cache', 'node-compile-cache');
process.env.NODE_COMPILE_CACHE ??= compiled;
// Programs in temporary folders have other URLs in each run, so their cached code is useless to the next run.
const MOST_KEPT_FILES = 40_000;
if (globSync('*/*', { cwd: compiled }).length > MOST_KEPT_FILES) rmSync(compiled, { recursive: true, force: true });

/**
 * Files that a worker runs share one load of the modules, which takes half of the processor time. So a test leaves nothing behind in its
 * process: it puts back what it changes (timers, variables, globals) and closes what it opens. The following cannot.
 */
const EVERY = 'test/**/*.test.ts';

/** Folders with tests of the process itself: its memory, its optimizer, its stack traces. */
const ALONE = [
  'test/compiler/cdk8s/{auth,gateway}/origins.test.ts',
  'test/controller/{garbage,shared-strings}/*.test.ts',
  'test/runtime/{large-answers,soak,tick-shape,v8-tiering}/*.test.ts',
];

/**
 * Text that reaches beyond a test's own values: if another file has already taken over the clock, a test cannot change it. Variables that
 * `vi.stubEnv` sets are no such text: the runner removes them after each file.
 */
const REACHES =
  /useFakeTimers|setSystemTime|vi\.stubGlobal\b|setFlagsFromString|memoryUsage|prepareStackTrace|process\.env(\.\w+|\[.*\]) =(?!=)/;

const reaching = globSync(EVERY).filter(file => REACHES.test(readFileSync(file, 'utf8')));

/** Each takes a processor for three seconds or more, or waits for a minute, and rarely fails. */
const SLOW = [
  'test/bridge/cycles.test.ts',
  'test/compiler/bad-input/{fuzz,hostile-files,hostile-texts,patterns}.test.ts',
  'test/compiler/catalog-types/{hostile-names,values-fit}.test.ts',
  'test/compiler/cdk8s/auth/impossible.test.ts',
  'test/compiler/cdk8s/examples/examples.test.ts',
  'test/compiler/cdk8s-workflow/types.test.ts',
  'test/compiler/diff-soundness/{check-pairs,diff-soundness,oracle}.test.ts',
  'test/compiler/every-leaf/every-leaf.test.ts',
  'test/compiler/explain/run-examples.test.ts',
  'test/compiler/export/{gateway-words,wild-texts}.test.ts',
  'test/compiler/exposure-page/exposure-page.test.ts',
  'test/compiler/fix/sound-again.test.ts',
  'test/compiler/incremental/same-as-fresh.test.ts',
  'test/compiler/manifests/every-url.test.ts',
  'test/compiler/many-findings/many-findings.test.ts',
  'test/compiler/mutated-registries/mutated-registries.test.ts',
  'test/compiler/mutated-specs/mutated-specs.test.ts',
  'test/compiler/objects-with-errors/one-error-more.test.ts',
  'test/compiler/pods/agreement.test.ts',
  'test/compiler/program/{accepted,bad-input,forbidden,odd-names,packages,same-each-time}.test.ts',
  'test/compiler/program/places/places.test.ts',
  'test/compiler/source/limits.test.ts',
  'test/compiler/two-readers/corpus.test.ts',
  'test/controller/apply/convergence.test.ts',
  'test/controller/chaos/{clock-jumps,killed-cluster,killed-controller,killed-folder,random-commits}.test.ts',
  'test/controller/model/random-commits.test.ts',
  'test/controller/source/{following,hanging-ways,huge-repositories,nasty-repositories,rotation,signatures,trees}.test.ts',
  'test/e2e/cdk8s/{package,plain-import}.test.ts',
  'test/e2e/cli/npx.test.ts',
  'test/e2e/controller/{hanging-servers,killed,leaders}.test.ts',
  'test/e2e/dev/hanging-program.test.ts',
  'test/e2e/executables/{bridge,lintel}.test.ts',
  'test/e2e/export/installed.test.ts',
  'test/e2e/import/round-trip.test.ts',
  'test/e2e/identity/auth-matrix.test.ts',
  'test/e2e/import/every-format.test.ts',
  'test/e2e/language-server/{changes,memory}.test.ts',
  'test/e2e/lock/{credentials,lock}.test.ts',
  'test/e2e/package/installed.test.ts',
  'test/e2e/predictions/many-predictions.test.ts',
  'test/e2e/program/{commands,constructs,first-lock,parent-ends,story,typescript-7}.test.ts',
  'test/e2e/programs/places/places.test.ts',
  'test/e2e/registry-api/ten-thousand-servers.test.ts',
  'test/e2e/registry/telemetry.test.ts',
  'test/e2e/sign-in/real-browser.test.ts',
  'test/e2e/standalone/full-disk.test.ts',
  'test/e2e/testing/runners.test.ts',
  'test/e2e/validation-plugin/synth.test.ts',
  'test/e2e/vscode/{real-editor,which-lintel}.test.ts',
  'test/examples/cdk8s/platform.test.ts',
  'test/examples/ci/{git-hook,pipelines,pull-requests}.test.ts',
  'test/images/runtime.test.ts',
  'test/peers/skipped-tests.test.ts',
  'test/release/whole.test.ts',
  'test/runtime/auth-server/{killed,replicas,rotation}.test.ts',
  'test/runtime/bridging/{broken-backends,changed-eras,flapping-eras,standing-matrix}.test.ts',
  'test/runtime/bulkheads/{bulkheads,memory}.test.ts',
  'test/runtime/client-edge/unread-streams.test.ts',
  'test/runtime/large-answers/intact.test.ts',
  'test/runtime/other-callers/{many-sessions,replicas}.test.ts',
  'test/runtime/otlp/collector.test.ts',
  'test/runtime/outgoing-auth/{headers,refusals}.test.ts',
  'test/runtime/registry-page/page.test.ts',
  'test/runtime/routing-table/many-withheld.test.ts',
  'test/runtime/scale-out/{rolling-update,session-parts,sse-backends,sse-clients,stateless-calls,store-failures}.test.ts',
  'test/runtime/soak/{restarts,soak}.test.ts',
  'test/runtime/soak/replicas/replicas-soak.test.ts',
  'test/runtime/workers/{embeddings,killed-under-load,sessions}.test.ts',
  'test/schemas/stale-files/stale-files.test.ts',
  'test/site/built.test.ts',
  'test/support/{left-rejections,repeated-hooks}.test.ts',
];

const MOST_WORKERS = 8;
/** Maximum memory of one worker, with the programs that its tests start. */
const WORKER_BYTES = 1.5 * 2 ** 30;

/** `npm test` runs the quick tests, `npm run test:slow` the slow ones, and `npx vitest run FOLDER` both. */
const asked = process.env.LINTEL_TESTS;
const left = asked === 'quick' ? SLOW : [];

// Only `npm run test:conformance`, `test:cluster`, `test:first-hour` and `test:images` run these.
const LANES = [
  'test/conformance/{,replicas/}*.test.ts',
  'test/cluster/**',
  'test/first-hour/**',
  'test/images/debian.test.ts',
];

/** With `--shard`, neighbouring files go to different parts: files of one folder take about equally long. */
class Neighbours extends BaseSequencer {
  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard ?? { index: 1, count: 1 };
    return files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1)).filter((_, at) => at % count === index - 1);
  }
}

/** The settings of all test runs, those of `npm test` and those of the lanes. */
export const settings = {
  test: {
    ...native,
    // Only ends tests that hang: no test should fail because its machine is ten times busier than usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // CI may share its machine: a test that fails there runs once more, and the reporter says that it did.
    retry: process.env.CI === 'true' ? 1 : 0,
    expect: { poll: { timeout: 100_000 } },
    runner: './test/support/runner.ts',
    // More workers than cores: tests wait for timers and for started programs longer than they use a processor.
    maxWorkers: Math.max(2, Math.min(MOST_WORKERS, Math.floor(totalmem() / WORKER_BYTES))),
    sequence: { sequencer: Neighbours },
    reporters: ['default', './test/support/skipped-tests-reporter.ts'],
    // Titles contain values of rows (`$name`), which by default are cut after 40 characters.
    chaiConfig: { truncateThreshold: 400 },
  },
} satisfies ViteUserConfig;

const slow = { name: 'slow', include: SLOW };

const shared = {
  name: 'shared',
  isolate: false,
  include: [EVERY],
  exclude: [...configDefaults.exclude, ...LANES, ...ALONE, ...reaching, ...left],
};

const alone = {
  name: 'alone',
  include: [...ALONE, ...reaching],
  exclude: [...configDefaults.exclude, ...LANES, ...left],
};

const projects = asked === 'slow' ? [slow] : [shared, alone];

export default defineConfig({
  ...settings,
  test: { ...settings.test, projects: projects.map(test => ({ extends: true as const, test })) },
});
