import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CODES } from '#compiler';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../compiler/cdk8s/MISTAKES.md'), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| (LNT\d{4} \S+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(([, code, how, why]) => ({
  code,
  how,
  why: why?.trim(),
}));

test('MISTAKES.md of the constructs has a row for every code about gateways, and for no other code', () => {
  const codes = Object.entries(CODES).flatMap(([code, { name }]) =>
    /^LNT[3-6]/.test(code) ? [`${code} ${name}`] : [],
  );
  expect(ROWS.map(({ code }) => code)).toEqual(codes.toSorted());
});

test('every row in MISTAKES.md of the constructs says whether a program can contain the mistake, and why', () => {
  const ways = ['cannot be written', 'error at synth', 'still possible'];
  expect(ROWS.filter(({ how = '', why }) => !ways.includes(how) || why === '')).toEqual([]);
});
