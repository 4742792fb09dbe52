import { expect, test } from 'vitest';
import { foldName } from '#shared/plan';

/** Every pair of characters that a case-insensitive pattern treats as equal. */
function listPairs(): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = [];
  for (let code = 0; code < 0x1_e950; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const one = String.fromCodePoint(code);
    for (const other of new Set([
      one.toLowerCase(),
      one.toUpperCase(),
      one.toLowerCase().toUpperCase().toLowerCase(),
    ])) {
      if (other !== one && [...other].length === 1 && new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(other))
        pairs.push([one, other]);
    }
  }
  return pairs;
}

test('two names whose characters differ only in case count as the same name', () => {
  const pairs = listPairs();
  expect(pairs.length).toBeGreaterThan(2_000);
  expect(pairs.filter(([one, other]) => foldName(one) !== foldName(other))).toEqual([]);
});

test.each([
  ['Kelvin sign', '\u212a', 'k'],
  ['long s', '\u017f', 's'],
  ['capital sharp s', '\u1e9e', '\u00df'],
  ['final sigma', '\u03c2', '\u03a3'],
  ['Greek iota with two marks, in two code points', '\u0390', '\u1fd3'],
  ['ohm sign', '\u2126', '\u03c9'],
])('two names with different forms of a character count as the same name: %s', (_, one, other) =>
  expect(foldName(one)).toBe(foldName(other)),
);

test('two names that differ in more than case count as different names', () => {
  expect(new Set(['path', 'paths', 'p\u0430th', 'path ', ''].map(foldName)).size).toBe(5);
});
