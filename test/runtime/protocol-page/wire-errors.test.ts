/** Each error that a client can get is in a table of `runtime/PROTOCOL.md`: its code, and the `reason` in its data. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WIRE_CODE } from '../../../runtime/mcp/wire-error.ts';
import { ROOT } from '../../support/process.ts';

const PAGE = readFileSync(join(ROOT, 'runtime/PROTOCOL.md'), 'utf8');
const ROWS = PAGE.split('\n').filter(line => line.startsWith('|'));
const SOURCES = globSync('runtime/**/*.ts', { cwd: ROOT }).map(file => readFileSync(join(ROOT, file), 'utf8'));

/** The names of codes with which the runtime creates errors. */
const USED = new Set(
  SOURCES.flatMap(text => [...text.matchAll(/\bWIRE_CODE\.(\w+)/g)].map(([, name = '']) => name)),
) as ReadonlySet<keyof typeof WIRE_CODE>;

test('the runtime uses every error code in WIRE_CODE, and no other error code', () => {
  expect([...USED].sort()).toEqual(Object.keys(WIRE_CODE).toSorted());
});

test.each([...USED])('the number of the error code %s is in a row of the table of errors in PROTOCOL.md', name => {
  expect(ROWS.filter(row => row.includes(`\`${WIRE_CODE[name]}\``))).not.toEqual([]);
});

const REASONS = new Set(
  SOURCES.flatMap(text =>
    [...text.matchAll(/\bdata: \{[^{}]*\breason: '([a-z_]+)'/g)].map(([, reason = '']) => reason),
  ),
);

test('the tests find the reasons of errors in the sources of the runtime', () =>
  expect(REASONS.size).toBeGreaterThan(2));

test.each([...REASONS])('PROTOCOL.md contains the error reason %s that the runtime sends', reason => {
  expect(PAGE).toMatch(new RegExp(`\`${reason}\`|"${reason}"`));
});
