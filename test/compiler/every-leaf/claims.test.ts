/** Each field that people may write has a claim of what a change of it does; of a few of them it is tried here, of all in `every-leaf.test.ts`. */
import { describe, expect, test } from 'vitest';
import { CLAIMS, claimOf, nameOf } from './claims.ts';
import { outcomesOf } from './outcome.ts';
import { SUBJECTS } from './subjects.ts';

/** One of so many leaves is tried here. */
const EACH = 150;

describe.each(SUBJECTS)('$kind', subject => {
  const { kind, leaves } = subject;

  test('each leaf has a claim, and each claim is about a leaf', () => {
    expect(Object.keys(CLAIMS[kind] ?? {}), 'claim it in claims.json').toEqual(leaves.map(nameOf).toSorted());
  });

  test.each(leaves.filter((_, at) => at % EACH === 0).map(path => [nameOf(path), path] as const))(
    '%s',
    (name, path) => {
      expect(claimOf(outcomesOf(subject, path))).toBe(CLAIMS[kind]?.[name]);
    },
  );
});
