/** `runtime/PROTOCOL.md` is for users: its numbers and names are those of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SESSION_REVISIONS, SSE_REVISIONS, STATELESS_REVISION } from '../../../runtime/mcp/protocol-revisions.ts';
import { WIRE_CODE } from '../../../runtime/mcp/wire-error.ts';
import { ROOT } from '../../support/process.ts';

const RUNTIME = join(ROOT, 'runtime');
const PAGE = readFileSync(join(RUNTIME, 'PROTOCOL.md'), 'utf8');

const UNITS: { readonly [unit: string]: number } = { KiB: 1024, MiB: 1024 * 1024, seconds: 1000 };

/** Rows such as `| Body | 8 MiB | HTTP 413 | `http/read-body.ts` `MAX_BODY_BYTES` |`. */
const limits = [...PAGE.matchAll(/^\| [^|]+ \| ([\d,]+)(?: (\w+))? \| [^|]+ \| `([^`]+)` `(\w+)` \|$/gm)].map(
  ([, number = '', unit, file = '', name = '']) => ({
    file,
    name,
    value: Number(number.replaceAll(',', '')) * (unit === undefined ? 1 : (UNITS[unit] ?? Number.NaN)),
  }),
);

test.each(limits)('PROTOCOL.md gives the limit $name of $file as $value', ({ file, name, value }) => {
  const source = readFileSync(join(RUNTIME, file), 'utf8');
  const written = new RegExp(`\\b${name}(?:: number = | = |: | \\?\\? )([\\d_* ]+)[,;)}]`).exec(source)?.[1];
  expect(productOf(written ?? '')).toBe(value);
});

test('the tests read every row of the table of limits in PROTOCOL.md', () => {
  const section = /## Limits\n([\s\S]*?)\n## /.exec(PAGE)?.[1] ?? '';
  expect(limits.length).toBe(section.split('\n').filter(line => line.startsWith('| ')).length - 1);
});

test('PROTOCOL.md names only codes that the runtime sends', () => {
  const known: readonly number[] = Object.values(WIRE_CODE);
  const named = new Set([...PAGE.matchAll(/-32\d{3}/g)].map(([code]) => Number(code)));
  expect([...named].filter(code => !known.includes(code))).toEqual([]);
});

test('PROTOCOL.md names the MCP revisions that the runtime supports', () => {
  expect(PAGE).toContain(`| Client | ${STATELESS_REVISION}, without sessions |`);
  expect(PAGE).toContain(`| Client | ${SESSION_REVISIONS.join(', ')}, in sessions |`);
  const more = SSE_REVISIONS.filter(revision => !SESSION_REVISIONS.includes(revision));
  expect(PAGE).toContain(`| Client | the same and ${more.join(', ')}, in sessions |`);
});

function productOf(text: string): number {
  return text.split('*').reduce((product, factor) => product * Number(factor.replaceAll('_', '').trim() || 'NaN'), 1);
}
