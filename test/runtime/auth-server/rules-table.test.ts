/** RULES.md names a test for each rule, and each attack has a rule. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const table = readFileSync(join(import.meta.dirname, '../../../runtime/authserver/RULES.md'), 'utf8');

const rows = [...table.matchAll(/^\| (.+?) \| (.*?) ?\| `([a-z-]+)` \| (.+?) \|$/gm)].map(
  ([, rule = '', source = '', file = '', title = '']) => ({ rule, source, file, title }),
);

/** Titles of the tests of a file, those of tables with their placeholders. */
function titlesOf(file: string): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, `${file}.test.ts`), 'utf8');
  return [
    ...text.matchAll(/(?:\btest|[\])]\)|^ {2,4}\))\(\s*'((?:[^'\\]|\\.)+)',/gm),
    ...text.matchAll(/^ {2,4}'((?:[^'\\]|\\.)+)',\n\s+(?:async )?\(?\w+/gm),
  ].map(([, title = '']) => title);
}

test('the table is whole', () => {
  const lines = table.split('\n').filter(line => /^\| (?!Rule|---)/.test(line));
  expect(rows).toHaveLength(lines.length);
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows.map(row => [row.rule, row] as const))('%s', (_, { file, title }) => {
  expect(titlesOf(file)).toContain(title);
});

test('no attack is tested without a rule', () => {
  const named = new Set(rows.filter(({ file }) => file === 'attacks').map(({ title }) => title));
  expect(titlesOf('attacks').filter(title => !named.has(title))).toEqual([]);
});
