/**
 * Golden files: `<case>/input/` is compiled and compared with `<case>/expected/`. A missing or an orphaned file fails. `UPDATE_GOLDEN=1`
 * rewrites the expected files; it is refused in CI, and the difference is reviewed like code.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';

const UPDATE = process.env.UPDATE_GOLDEN === '1';

/** Compares the files of a case (by path) with those in `folder`. */
export function expectGolden(folder: string, files: ReadonlyMap<string, string>): void {
  if (UPDATE) {
    if (process.env.CI !== undefined) throw new Error('UPDATE_GOLDEN is not for CI');
    rmSync(folder, { recursive: true, force: true });
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  const expected = existsSync(folder)
    ? (readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile())
        .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1)) as string[])
    : [];
  expect([...files.keys()].sort(), 'files of the case; UPDATE_GOLDEN=1 writes them').toEqual(expected.sort());
  for (const [path, text] of files) expect(text, path).toBe(readFileSync(join(folder, path), 'utf8'));
}
