import { configDefaults, defineConfig, type ViteUserConfig } from 'vitest/config';

const conditions = ['lintel-source'];

/**
 * Folders whose tests call functions and leave nothing behind: the files that a worker runs share one load of the modules,
 * which takes less than half of the processor time. A test there puts back what it changes (timers, variables, globals).
 */
const SHARING = ['cdk8s', 'compiler', 'pins', 'schemas', 'templates', 'testing'];

/** Files there that replace a module, which needs a load of their own. */
const MOCKING = ['test/compiler/cel-rules/not-checked.test.ts'];

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
          name: 'functions',
          isolate: false,
          include: [`test/{${SHARING}}/**/*.test.ts`],
          exclude: [...configDefaults.exclude, ...MOCKING],
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: [`test/!(${SHARING.join('|')})/**/*.test.ts`, ...MOCKING],
          exclude: [...configDefaults.exclude, ...LANES],
        },
      },
    ],
  },
});
