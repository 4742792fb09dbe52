import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findNearest, NearestWords } from '#shared/util';

const ROWS: readonly (readonly [word: string, candidates: readonly string[], expected: string | undefined])[] = [
  // Each İ becomes two characters in lower case.
  ['aaaİaa', ['aaİaİİaİa'], undefined],
  ['nmae', ['type', 'name'], 'name'],
  ['grupRef', ['config', 'groupRef', 'podTemplateSpec'], 'groupRef'],
  ['grouprefs', ['groupRef'], 'groupRef'],
  ['NAME', ['nama', 'name'], 'name'],
  ['conflictResoluton', ['conflictResolution', 'conflictResolutionConfig'], 'conflictResolution'],
  ['manaul', ['prefix', 'priority', 'manual'], 'manual'],
  ['aa', ['ab', 'ac'], 'ab'],
  ['x', ['y'], undefined],
  ['X', ['x'], 'x'],
  ['frobnicate', ['name', 'type'], undefined],
  ['url', ['kind', 'spec'], undefined],
  ['', ['a'], undefined],
  ['name', [], undefined],
  ['a'.repeat(101), ['a'.repeat(101)], undefined],
];
test.each(ROWS)(
  'the suggestion for the misspelt word %s among the valid words %j is $2',
  (word, candidates, expected) => {
    expect(findNearest(word, candidates)).toBe(expected);
    expect(new NearestWords(candidates).nearest(word)).toBe(expected);
  },
);

/** By the definition: the whole table, and nothing passed over. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number) => table[i]?.[j] ?? 0;
  for (let j = 1; j <= b.length; j++) table[0]?.push(j);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1)];
      table[i]?.push(Math.min(...ways, ...(isSwapped ? [at(i - 2, j - 2) + 1] : [])));
    }
  }
  return at(a.length, b.length);
}

function nearestByDefinition(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const same = candidates.find(candidate => candidate.toLowerCase() === lower);
  if (same !== undefined || word.length < 2) return same;
  const near = candidates
    .map(candidate => ({ candidate, far: distance(lower, candidate.toLowerCase()) }))
    .filter(({ candidate, far }) => far <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)));
  return near.sort((a, b) => a.far - b.far)[0]?.candidate;
}

test('the search for the nearest word finds the same word as a comparison with every candidate', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '_', 'ı', 'İ'), maxLength: 9 });
  fc.assert(
    fc.property(word, fc.array(word, { maxLength: 12 }), (text, candidates) => {
      const expected = nearestByDefinition(text, candidates);
      expect([findNearest(text, candidates), new NearestWords(candidates).nearest(text)]).toEqual([expected, expected]);
    }),
    { numRuns: 2_000 },
  );
});
