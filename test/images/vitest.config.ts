import { defineConfig } from 'vitest/config';
import { settings } from '../../vitest.config.ts';

// It installs Debian's packages, which takes minutes.
export default defineConfig({ ...settings, test: { ...settings.test, include: ['test/images/debian.test.ts'] } });
