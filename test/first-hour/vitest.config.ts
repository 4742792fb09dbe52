import { defineConfig } from 'vitest/config';
import { settings } from '../../vitest.config.ts';

export default defineConfig({ ...settings, test: { ...settings.test, include: ['test/first-hour/*.test.ts'] } });
