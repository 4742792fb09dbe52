import { configDefaults, defineConfig } from 'vitest/config';
import { settings } from '../../vitest.config.ts';

/** These suites run against both the real API server and the test double, in `npm test` with the double only. */
const BOTH = [
  'test/controller/crd-admission/*.test.ts',
  'test/controller/kube-api/agreement.test.ts',
  'test/controller/kubelet/rollouts.test.ts',
];

export default defineConfig({
  ...settings,
  test: { ...settings.test, include: ['test/cluster/*.test.ts', ...BOTH], exclude: configDefaults.exclude },
});
