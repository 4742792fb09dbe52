/**
 * Tests should use the public functions of a room, so that moving a file inside the room breaks no test. Public are the `index.ts` of the room and
 * those of its folders. The share of test files that import other files of a room may only decrease.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/process.ts';

const ROOMS = new Set(['schemas', 'compiler', 'runtime', 'bridge', 'controller', 'shared', 'testing']);

/** Maximum share of test files with such imports, in percent. Lower it when fewer files need them. */
const MOST_PERCENT = 32;

test(`at most ${MOST_PERCENT} of 100 test files import a source file other than an index.ts`, () => {
  const files = globSync('test/**/*.test.ts', { cwd: ROOT, exclude: path => path.includes('node_modules') });
  expect(files.length).toBeGreaterThan(1_000);
  const inner = files.filter(file => importedFiles(file).some(isInner));
  const percent = (100 * inner.length) / files.length;
  expect(percent).toBeLessThanOrEqual(MOST_PERCENT);
});

function importedFiles(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"]+)['"]/g)].map(([, specifier = '']) =>
    posix.join(posix.dirname(file), specifier),
  );
}

function isInner(file: string): boolean {
  return ROOMS.has(file.split('/')[0] ?? '') && posix.basename(file) !== 'index.ts';
}
