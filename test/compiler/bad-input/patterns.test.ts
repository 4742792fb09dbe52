/** No pattern of the schemas takes long on any text, although a regular expression may need exponential time. */

import { expect, test } from 'vitest';
import { KINDS_FILE, type StructuralSchema } from '#schemas';
import { checkScalar } from '../../../compiler/check/scalars.ts';
import { measureCpuMs } from '../../support/cpu-time.ts';
import { isOneOfRuns } from '../../support/runs.ts';
import { buildSample } from '../../support/sample.ts';

/** Length of the texts, in characters: below the limit up to which the compiler matches texts against patterns. */
const SIZE = 50_000;
const MAX_MS = 200;

/** The largest text that a file can contain: a match that overflows the engine's stack throws. */
const LARGEST = 8 * 2 ** 20;

function patternsOf(schema: StructuralSchema): string[] {
  const below = [schema.items, schema.additionalProperties, ...Object.values(schema.properties ?? {})];
  const own = schema.pattern === undefined ? [] : [schema.pattern];
  return [...own, ...below.flatMap(each => (each === undefined ? [] : patternsOf(each)))];
}

const PATTERNS = [
  ...new Set(Object.values(KINDS_FILE).flatMap(({ spec, status }) => [spec, status].flatMap(patternsOf))),
];

/** Parts of texts: a part is repeated, and an ending makes the match fail as late as possible. */
const PARTS = [
  'a',
  '0',
  '1',
  '-',
  '.',
  '/',
  ':',
  '*',
  ' ',
  '\n',
  'é',
  '😀',
  'a-',
  '-a',
  '1s',
  '1ms',
  '1.1s',
  '1.',
  '.1',
  'a.',
  'https://',
  'x@',
];
const ENDS = ['', '!', '\n', '-', '/', '1'];

function attacks(pattern: string, size: number): string[] {
  const valid = String(buildSample({ type: 'string', pattern }));
  const starts = ['', valid, valid.slice(0, -1), 'https://', 'aa-', 'arn:aws:iam::123456789012:role/', '0.', '1.'];
  return starts.flatMap(start =>
    [...PARTS, valid].flatMap(part => ENDS.map(end => start + part.repeat(Math.ceil(size / part.length)) + end)),
  );
}

test('the schemas of the kinds have more than 10 patterns', () => {
  expect(PATTERNS.length).toBeGreaterThan(10);
});

test.each(PATTERNS)(
  'the compiler checks a text of 50,000 characters against the pattern %s in under 200 ms',
  pattern => {
    const schema: StructuralSchema = { type: 'string', pattern };
    let slowest = { took: 0, text: '' };
    for (const text of attacks(pattern, SIZE).filter(isOneOfRuns)) {
      const check = (): number => measureCpuMs(() => checkScalar(schema, text, true));
      const first = check();
      // The machine may have been busy.
      const took = first < MAX_MS ? first : Math.min(check(), check());
      if (took > slowest.took) slowest = { took, text };
    }
    expect(slowest.took, `${slowest.text.slice(0, 20)}…${slowest.text.slice(-20)}`).toBeLessThan(MAX_MS);
  },
);

test.each(PATTERNS)('the compiler checks a text of 8 MB against the pattern %s without an exception', pattern => {
  const valid = String(buildSample({ type: 'string', pattern }));
  for (const part of ['1s', '-a']) {
    const text = `${valid}${part.repeat(Math.ceil(LARGEST / part.length))}`;
    expect(() => checkScalar({ type: 'string', pattern }, text, true)).not.toThrow();
  }
});
