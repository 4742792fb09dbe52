import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

const conditions = ['lintel-source'];

/**
 * Folders whose tests leave nothing behind in their process: the files that a worker runs share one load of the modules, which takes
 * half of the processor time. A test there puts back what it changes (timers, variables, globals) and closes what it opens.
 */
const SHARING = ['cdk8s', 'compiler', 'controller', 'git', 'pins', 'runtime', 'schemas', 'templates', 'testing'];

/** Files there that measure memory, read stack traces, set flags of V8 or replace modules, and so need a process of their own. */
const ALONE = [
  'test/compiler/cdk8s/**/*.test.ts',
  'test/compiler/cel-rules/not-checked.test.ts',
  'test/controller/{garbage,shared-strings}/*.test.ts',
  'test/runtime/authorization/decisions.test.ts',
  'test/runtime/client-edge/unread-streams.test.ts',
  'test/runtime/gateway/large-messages.test.ts',
  'test/runtime/{large-answers,soak,tick-shape,v8-tiering}/*.test.ts',
  'test/runtime/outgoing-auth/caller-lists.test.ts',
  'test/runtime/registry-listing/prepared-bodies.test.ts',
];

// `npm run test:conformance` and `npm run test:cluster` run them.
const LANES = ['test/conformance/*.test.ts', 'test/cluster/**'];

/** What every run of tests has, that of `npm test` and those of the lanes. */
export const settings = {
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // For what hangs; no test is to fail since its machine is ten times busier than usual.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // CI may share its machine: a test that fails there runs once more, and the reporter says that it did.
    retry: process.env.CI === 'true' ? 1 : 0,
    expect: { poll: { timeout: 100_000 } },
    setupFiles: ['./test/support/patient-waits.ts'],
    // Two cores: more workers only make timers late.
    maxWorkers: 2,
    reporters: ['default', './test/support/skipped-tests-reporter.ts'],
  },
} satisfies ViteUserConfig;

export default defineConfig({
  ...settings,
  test: {
    ...settings.test,
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: [`test/{${SHARING}}/**/*.test.ts`],
          exclude: [...configDefaults.exclude, ...ALONE],
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: [`test/!(${SHARING.join('|')})/**/*.test.ts`, ...ALONE],
          exclude: [...configDefaults.exclude, ...LANES],
        },
      },
    ],
  },
});
