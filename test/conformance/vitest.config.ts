import { configDefaults, defineConfig } from 'vitest/config';
import { settings } from '../../vitest.config.ts';

/** `npm run test:conformance:replicas` runs the tests in its folder. */
const include = [`test/conformance/${process.env.LINTEL_CONFORMANCE === 'replicas' ? 'replicas/' : ''}*.test.ts`];

export default defineConfig({
  ...settings,
  test: { ...settings.test, include, exclude: configDefaults.exclude },
});
