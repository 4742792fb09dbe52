/** Each field that people may write has a claim of what a change of it does; of a few of them it is tried here, of all in `every-leaf.test.ts`. */
import { describe, expect, test } from 'vitest';
import { CLAIMS, claimOf, nameOf } from './claims.ts';
import { outcomesOf } from './outcome.ts';
import { SUBJECTS } from './subjects.ts';

/** One of so many leaves is tried here. */
const EACH = 150;

describe.each(SUBJECTS)('$kind', subject => {
  const { kind, leaves } = subject;

  test(`claims.json states the effect of each leaf field of ${kind}, and of nothing else`, () => {
    expect(Object.keys(CLAIMS[kind] ?? {}), 'claim it in claims.json').toEqual(leaves.map(nameOf).toSorted());
  });

  test.each(leaves.filter((_, at) => at % EACH === 0).map(path => [nameOf(path), path] as const))(
    `a change of the leaf field %s of ${kind} has the effect that claims.json states`,
    (name, path) => {
      expect(claimOf(outcomesOf(subject, path))).toBe(CLAIMS[kind]?.[name]);
    },
  );
});
