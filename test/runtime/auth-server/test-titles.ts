/** Titles of a file's tests, for tables that name the test of each row. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The titles of the tests in a file. Those of table tests include their placeholders. */
export function testTitles(file: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, `${file}.test.ts`), 'utf8');
  return [
    ...text.matchAll(/(?:\btest|[\])]\)|^ {2,4}\))\(\s*'((?:[^'\\]|\\.)+)',/gm),
    ...text.matchAll(/^ {2,4}'((?:[^'\\]|\\.)+)',\n\s+(?:async )?\(?\w+/gm),
  ].map(([, title = '']) => title);
}
