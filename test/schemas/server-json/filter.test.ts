import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PUBLISHER_META, passesFilter, readTags } from '#schemas';
import { fitsPattern } from '../../../schemas/server-json/filter.ts';

const server = (name: string, ...tags: string[]) => ({
  name,
  version: '1.0.0',
  _meta: { [PUBLISHER_META]: { vendor: { part: { tags } } } },
});
const none = { include: [], exclude: [] };

test.each<[pattern: string, name: string, fits: boolean]>([
  ['a/b', 'a/b', true],
  ['a/b', 'a/bc', false],
  ['*', 'a/b', true],
  ['a*', 'a/b', true],
  ['*b', 'a/b', true],
  ['a/*/b', 'a/b', false],
  ['a*b', 'ab', true],
  ['ab*ba', 'aba', false],
  ['*a*a*', 'a/b', false],
  ['a**b', 'a/b', true],
  ['a.b/*', 'axb/c', false],
  ['[a]/b', 'a/b', false],
  ['', 'a/b', false],
])('the pattern %s of a registry filter is matched with the name %s: %s', (pattern, name, fits) => {
  expect(fitsPattern(pattern, name)).toBe(fits);
});

test('a pattern of a registry filter matches like the regular expression with .* in place of *', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '.'), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const same = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`, 's').test(name);
      expect(fitsPattern(pattern, name)).toBe(same);
    }),
    { numRuns: 3000 },
  );
});

test.each<[object, ReturnType<typeof server>, boolean]>([
  [{}, server('a/b'), true],
  [{ names: { include: ['a/*'], exclude: [] } }, server('a/b'), true],
  [{ names: { include: ['c/*', 'a/*'], exclude: [] } }, server('a/b'), true],
  [{ names: { include: ['c/*'], exclude: [] } }, server('a/b'), false],
  [{ names: { include: ['a/*'], exclude: ['*/b'] } }, server('a/b'), false],
  [{ tags: { include: ['x'], exclude: [] } }, server('a/b', 'x', 'y'), true],
  [{ tags: { include: ['x'], exclude: [] } }, server('a/b', 'xx'), false],
  [{ tags: { include: ['x'], exclude: ['y'] } }, server('a/b', 'x', 'y'), false],
  [{ tags: { include: [], exclude: ['y'] } }, server('a/b'), true],
  [{ names: { include: ['a/*'], exclude: [] }, tags: { include: ['x'], exclude: [] } }, server('a/b'), false],
])('the registry filter %j accepts the entry %j: %s', (filter, entry, passes) => {
  expect(passesFilter({ names: none, tags: none, ...filter }, entry)).toBe(passes);
});

test('the tags of a registry entry are collected from all vendors, sorted and each once', () => {
  const meta = {
    a: { p: { tags: ['z', 'b'] }, q: { tags: ['b', 7, null] } },
    b: { r: { tags: 'alone' } },
    tags: ['no'],
  };
  const entry = { name: 'a/b', version: '1', _meta: { [PUBLISHER_META]: meta } };
  expect(readTags(entry)).toEqual(['alone', 'b', 'z']);
  expect(readTags({ name: 'a/b', version: '1' })).toEqual([]);
});

function escaped(text: string): string {
  return text.replaceAll('.', '\\.');
}
