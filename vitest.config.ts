import { configDefaults, defineConfig } from 'vitest/config';

const conditions = ['lintel-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:conformance` runs it.
    exclude: [...configDefaults.exclude, 'test/conformance/**'],
    testTimeout: 20_000,
    // Two cores: more workers only make timers late.
    maxWorkers: 2,
  },
});
