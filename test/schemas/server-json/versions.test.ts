import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareVersions } from '#schemas';

/** Versions in ascending order: the example of semver.org 11.4, with other versions around it. */
const ASCENDING = [
  '',
  '1.0',
  '1.0.0.0',
  '2024-01-31',
  'sprint-9',
  '1.0.0-0',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.0+a',
  '1.0.0+b',
  'v1.0.0',
  '1.9.0',
  '1.10.0',
  '2.0.0',
  '99999999999999999998.0.0',
  '99999999999999999999.0.0',
];

test('semantic versions are ordered by precedence, above all other versions', () => {
  expect(ASCENDING.toReversed().sort(compareVersions)).toEqual(ASCENDING);
});

test('a version with a leading zero is not a semantic version', () => {
  expect(compareVersions('01.0.0', '0.0.1')).toBeLessThan(0);
});

test('registry versions of any form have a total order', () => {
  const part = fc.constantFrom('0', '1', '10', '01', 'a', 'x-1');
  const version = fc.oneof(
    fc.constantFrom(...ASCENDING),
    fc.tuple(fc.constantFrom('', 'v'), part, part, part).map(([v, ...parts]) => v + parts.join('.')),
    fc.tuple(part, fc.array(part, { minLength: 1, maxLength: 3 })).map(([a, b]) => `1.0.${a}-${b.join('.')}`),
    fc.string(),
  );
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      expect(Math.sign(compareVersions(a, b))).toBe(-Math.sign(compareVersions(b, a)) + 0);
      expect(compareVersions(a, b) === 0).toBe(a === b);
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0)
        expect(compareVersions(a, c)).toBeLessThanOrEqual(0);
    }),
    { numRuns: 5000 },
  );
});
