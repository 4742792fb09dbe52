import { configDefaults, defineConfig } from 'vitest/config';
import { settings } from '../../vitest.config.ts';

/** They hold the API server of tests against the real one, and go without it in `npm test`. */
const BOTH = [
  'test/controller/crd-admission/*.test.ts',
  'test/controller/kube-api/agreement.test.ts',
  'test/controller/kubelet/rollouts.test.ts',
];

export default defineConfig({
  ...settings,
  test: { ...settings.test, include: ['test/cluster/*.test.ts', ...BOTH], exclude: configDefaults.exclude },
});
