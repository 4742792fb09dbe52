/**
 * For each field that people can write, a file states what a change of the field does. This test tries a few of these fields, and
 * `every-leaf.test.ts` all of them.
 */
import { describe, expect, test } from 'vitest';
import { CLAIMS, claimOf, nameOf } from './claims.ts';
import { outcomesOf } from './outcome.ts';
import { SUBJECTS } from './subjects.ts';

/** This test tries one of this many fields. */
const EACH = 150;

describe.each(SUBJECTS)('$kind', subject => {
  const { kind, leaves } = subject;

  test(`claims.json states the effect of each innermost field of ${kind}, and of nothing else`, () => {
    expect(Object.keys(CLAIMS[kind] ?? {}), 'claim it in claims.json').toEqual(leaves.map(nameOf).toSorted());
  });

  test.each(leaves.filter((_, at) => at % EACH === 0).map(path => [nameOf(path), path] as const))(
    `a change of the innermost field %s of ${kind} has the effect that claims.json states`,
    (name, path) => {
      expect(claimOf(outcomesOf(subject, path))).toBe(CLAIMS[kind]?.[name]);
    },
  );
});
