import { configDefaults, defineConfig } from 'vitest/config';
import { settings } from '../../vitest.config.ts';

export default defineConfig({
  ...settings,
  test: { ...settings.test, include: ['test/conformance/*.test.ts'], exclude: configDefaults.exclude },
});
