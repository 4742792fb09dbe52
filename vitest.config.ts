import { configDefaults, defineConfig } from 'vitest/config';

const conditions = ['lintel-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:conformance` and `npm run test:cluster` run them.
    exclude: [...configDefaults.exclude, 'test/conformance/**', 'test/cluster/**'],
    testTimeout: 20_000,
    // Two cores: more workers only make timers late.
    maxWorkers: 2,
  },
});
