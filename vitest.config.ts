import { defineConfig } from 'vitest/config';

const conditions = ['lintel-source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    // Two cores: more workers only make timers late.
    maxWorkers: 2,
  },
});
