/** `npx lintel` in a clone: npm runs `prepare` for it, which builds only what is not built yet. */
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { VERSION } from '#schemas';
import { temporaryFolder } from '../../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const built = async () => (await stat(join(ROOT, 'dist/contents.json'))).ino;

test('the first call starts what npm ci has built, and leaves dist as it is', { timeout: 120_000 }, async () => {
  await using cache = await temporaryFolder();
  const before = await built();
  const env = { ...process.env, npm_config_cache: cache.path, npm_config_offline: 'true' };
  const { stdout } = await promisify(execFile)('npx', ['lintel', '--version'], { cwd: ROOT, env });
  expect(stdout.trim()).toBe(VERSION);
  expect(await built()).toBe(before);
});
