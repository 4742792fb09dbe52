/** Node's compile cache for `lintel` is kept for the next command, in a folder of the user. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PROGRAM } from '../../support/process.ts';

const home = mkdtempSync(join(tmpdir(), 'lintel-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const version = (env: { readonly [name: string]: string }) =>
  execFileSync(process.execPath, [PROGRAM.lintel, '--version'], { env, encoding: 'utf8' });

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());

test('lintel writes its compile cache to ~/.cache, and the next command adds no file', () => {
  const printed = version({ HOME: home });
  const folder = join(home, '.cache/lintel/compiled');
  const kept = listFiles(folder);
  const sizes = kept.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  expect(Math.max(...sizes), 'what was compiled of the commands').toBeGreaterThan(100_000);
  expect(version({ HOME: home })).toBe(printed);
  expect(listFiles(folder)).toHaveLength(kept.length);
});

test('lintel writes its compile cache to XDG_CACHE_HOME if it is set', () => {
  version({ HOME: '/', XDG_CACHE_HOME: join(home, 'xdg') });
  expect(listFiles(join(home, 'xdg/lintel/compiled'))).not.toEqual([]);
});

test('lintel runs without a compile cache if its folder cannot be written or the cache is turned off', () => {
  writeFileSync(join(home, 'file'), '');
  const printed = version({});
  // Nothing can be created there, and creating the path would hang in Node.
  expect(version({ HOME: '/proc' })).toBe(printed);
  expect(version({ HOME: join(home, 'file') })).toBe(printed);
  expect(version({ HOME: join(home, 'none'), NODE_DISABLE_COMPILE_CACHE: '1' })).toBe(printed);
  expect(readdirSync(home)).not.toContain('none');
});
