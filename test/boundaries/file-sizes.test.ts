/** Limits the sizes of files, so that a file has one purpose and can be read as a whole. The limits may only be lowered: split a file instead. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const ROOMS = '{schemas,compiler,runtime,bridge,controller,shared,testing,build}/**/*.ts';

test.each([
  ['of the rooms', ROOMS, 470],
  ['of the tests', 'test/**/*.ts', 500],
])('no source file %s has more lines than its limit', (_, files, most) => {
  const lines = globSync(files, {
    cwd: ROOT,
    exclude: path => path.includes('node_modules') || path.includes('generated'),
  }).map(file => ({ file, count: readFileSync(join(ROOT, file), 'utf8').trimEnd().split('\n').length }));
  expect(lines.length).toBeGreaterThan(1_000);
  expect(lines.filter(({ count }) => count > most)).toEqual([]);
});
