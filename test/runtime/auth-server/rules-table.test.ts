/** RULES.md names a test for each rule, and each attack has a rule. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testTitles } from './test-titles.ts';

const table = readFileSync(join(import.meta.dirname, '../../../runtime/authserver/RULES.md'), 'utf8');

const rows = [...table.matchAll(/^\| (.+?) \| (.*?) ?\| `([a-z-]+)` \| (.+?) \|$/gm)].map(
  ([, rule = '', source = '', file = '', title = '']) => ({ rule, source, file, title }),
);

test('the test of RULES.md of the authorization server reads every line of its table as a rule', () => {
  const lines = table.split('\n').filter(line => /^\| (?!Rule|---)/.test(line));
  expect(rows).toHaveLength(lines.length);
  expect(rows.length).toBeGreaterThan(50);
});

test.each(rows.map(row => [row.rule, row] as const))(
  'RULES.md of the authorization server names an existing test for its rule "%s"',
  (_, { file, title }) => {
    expect(testTitles(file)).toContain(title);
  },
);

test('each test in attacks.test.ts has a rule in RULES.md of the authorization server', () => {
  const named = new Set(rows.filter(({ file }) => file === 'attacks').map(({ title }) => title));
  expect(testTitles('attacks').filter(title => !named.has(title))).toEqual([]);
});
