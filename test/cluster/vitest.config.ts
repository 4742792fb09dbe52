import { configDefaults, defineConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

export default defineConfig({
  ...base,
  test: { ...base.test, include: ['test/cluster/*.test.ts'], exclude: configDefaults.exclude },
});
