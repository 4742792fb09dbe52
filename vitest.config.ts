import { configDefaults, defineConfig } from 'vitest/config';

const conditions = ['lintel-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:conformance` and `npm run test:cluster` run them.
    exclude: [...configDefaults.exclude, 'test/conformance/*.test.ts', 'test/cluster/**'],
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
});
