/** What `lintel exposure` computes from claims for all callers of a registry server holds for each single caller. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ClaimMap } from '#schemas';
import {
  combineRequirements,
  doFit,
  formatClaims,
  formatRequirements,
} from '../../../../compiler/analysis/exposure/registry/claim-requirements.ts';

const claim = fc.constantFrom('org', 'team', '__proto__');
const values = fc.subarray(['a', 'b', 'c']);
const map: fc.Arbitrary<ClaimMap> = fc.array(fc.tuple(claim, values), { maxLength: 3 }).map(Object.fromEntries);
const maps = fc.array(map, { maxLength: 3 });

/** Whether a token's claims satisfy required claims; written a second time for comparison. */
const fits = (held: ClaimMap, required: ClaimMap) =>
  Object.entries(required).every(([name, wanted]) => wanted.some(one => valuesOf(held, name).includes(one)));
const meets = (held: ClaimMap, maps: readonly ClaimMap[]) =>
  (combineRequirements(maps) ?? [undefined]).every(one => one !== undefined && fits(held, asMap(one.claim, one.anyOf)));
const asMap = (name: string, anyOf: readonly string[]): ClaimMap => Object.fromEntries([[name, anyOf]]);

describe('claim requirements', () => {
  test('a token meets the combined claim requirements of several registry sources exactly if it meets the requirements of each source', () => {
    fc.assert(
      fc.property(map, maps, (held, asked) => {
        expect(meets(held, asked)).toBe(asked.every(one => fits(held, one)));
      }),
      { numRuns: 2000 },
    );
  });

  test('a registry source whose claims follow from the combined requirements is visible to every token that meets the requirements', () => {
    fc.assert(
      fc.property(map, maps, map, (held, asked, required) => {
        const requirements = combineRequirements(asked);
        if (requirements === undefined || !doFit(requirements, required) || !meets(held, asked)) return;
        expect(fits(held, required)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('a registry source whose claims do not follow from the combined requirements is invisible to some token that meets the requirements', () => {
    fc.assert(
      fc.property(maps, map, (asked, required) => {
        const requirements = combineRequirements(asked);
        if (requirements === undefined || doFit(requirements, required)) return;
        // For each requirement, a value that the map does not demand, where there is one.
        const chosen = requirements.map(({ claim, anyOf }): [string, string] => [
          claim,
          anyOf.find(value => !valuesOf(required, claim).includes(value)) ?? anyOf[0] ?? '',
        ]);
        const held = Object.fromEntries(
          [...Map.groupBy(chosen, ([claim]) => claim)].map(([claim, all]) => [claim, all.map(([, value]) => value)]),
        );
        expect(fits(held, required)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test('combined claim requirements do not depend on their order', () => {
    fc.assert(
      fc.property(maps, asked => {
        expect(combineRequirements(asked.toReversed())).toEqual(combineRequirements(asked));
      }),
    );
  });
});

function valuesOf(map: ClaimMap, claim: string): readonly string[] {
  return Object.hasOwn(map, claim) ? (map[claim] ?? []) : [];
}

test.each([
  [{ org: ['example'], team: ['b', 'a', 'a'] }, 'org=example, team=a|b'],
  [{ 'https://example.com/groups': ['x y', ''] }, 'https://example.com/groups=""|"x y"'],
  [{ 'a=b, c': ['d|e'] }, '"a=b, c"="d|e"'],
  [{ org: [] }, 'org='],
])('the report of `lintel exposure` prints the claims %j as %s', (claims, text) => {
  expect(formatClaims(claims)).toBe(text);
});

test('combined claim requirements leave out the wider of two requirements on one claim', () => {
  const allOf = combineRequirements([{ org: ['a', 'b'] }, { org: ['a'] }, { org: ['b', 'c'] }]) ?? [];
  expect(formatRequirements(allOf)).toBe('org=a, org=b|c');
});

test('no caller meets a claim requirement without values', () => {
  expect(combineRequirements([{ org: ['a'] }, { team: [] }])).toBeUndefined();
});
