/** The page for operators has a row for each reason of a condition, and quotes the controller's actual messages. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../support/process.ts';

const PAGE = readFileSync(join(ROOT, 'docs/source-not-ready.md'), 'utf8');

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

test('docs/source-not-ready.md names each reason of a GatewaySource', () => {
  const [, union = ''] = /export type Reason =([^;]+);/.exec(read('controller/status/reason.ts')) ?? [];
  const reasons = Array.from(union.matchAll(/'(\w+)'/g), ([, reason = '']) => reason);
  expect(reasons.length).toBeGreaterThan(15);
  expect(reasons.filter(reason => reason !== 'Succeeded' && !PAGE.includes(`\`${reason}\``))).toEqual([]);
});

test('each message that docs/source-not-ready.md quotes exists in the controller', () => {
  const sources = globSync('{shared/git,controller}/**/*.ts', { cwd: ROOT }).map(read).join('\n');
  // With placeholders for values that vary.
  const said = sources.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll("\\'", "'");
  const [, ...tables] = PAGE.split(/^\| The message says \|.*\n\|---.*\n/m);
  const quoted = tables.flatMap(table =>
    table
      .replace(/\n(?!\|)[\s\S]*$/, '')
      .split('\n')
      .flatMap(row => (row.split('|')[1] ?? '').split('; '))
      .flatMap(text => text.split('…'))
      .map(text => text.trim())
      .filter(text => text.length > 3),
  );
  expect(quoted.length).toBeGreaterThan(40);
  expect(quoted.filter(text => !said.includes(text))).toEqual([]);
});
