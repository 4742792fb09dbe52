/** The map in `CONTRIBUTING.md` names existing files. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import rooms from '../../build/rooms.json' with { type: 'json' };
import { ROOT } from '../support/process.ts';

const FOLDERS = new Set([...Object.keys(rooms).map(room => room.split('/')[0]), 'build', 'docs', 'editors', 'test']);

/** The paths in `CONTRIBUTING.md` in backticks that start at the root, except patterns and files that a reader creates. */
const paths = [...readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').matchAll(/`([\w-]+)\/([\w./-]*)`/g)]
  .filter(([, folder = '', path = '']) => FOLDERS.has(folder) && !/\bNAME\b|\bLNT\d/.test(path))
  .map(([, folder, path]) => `${folder}/${path}`);

test('CONTRIBUTING.md names only files and folders that exist', () => {
  expect(paths.length).toBeGreaterThan(60);
  expect(paths.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
});
