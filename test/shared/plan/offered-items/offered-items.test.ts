import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatCanonicalJson } from '#schemas';
import { splitItems } from '#shared/plan';

const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

const LONGEST = 2 ** 20 - '{"name":"a","text":""}'.length;

test.each<[string, unknown, string | undefined]>([
  ['a name', { name: 'a' }, undefined],
  ['at the nesting limit', { name: 'a', deep: nested(89) }, undefined],
  ['beyond the nesting limit', { name: 'a', deep: nested(90) }, 'malformed "a" is nested more than 90 levels deep'],
  ['a string', 'a', 'malformed #0 is no object'],
  ['null', null, 'malformed #0 is no object'],
  ['a list', [], 'malformed #0 is no object'],
  ['no name', {}, 'malformed #0 has no name'],
  ['an inherited name', Object.create({ name: 'a' }), 'malformed #0 has no name'],
  ['an empty name', { name: '' }, 'malformed #0 has no name'],
  ['a number as name', { name: 7 }, 'malformed #0 has no name'],
  ['half a surrogate pair', { name: 'a', title: '\ud800' }, 'malformed "a" holds text that is no Unicode'],
  [
    'half a surrogate pair in the name of a member',
    { name: 'a', '\udc00': 1 },
    'malformed "a" holds text that is no Unicode',
  ],
  [
    'a number that is too large',
    { name: 'a', n: [Number.POSITIVE_INFINITY] },
    'malformed "a" holds a number that is too large',
  ],
  ['at the size limit', { name: 'a', text: 'x'.repeat(LONGEST) }, undefined],
  [
    'beyond the size limit by text',
    { name: 'a', text: 'x'.repeat(LONGEST + 1) },
    'malformed "a" has more than 1048576 characters',
  ],
  [
    'beyond the size limit by numbers',
    { name: 'a', n: new Array(2 ** 19).fill(0) },
    'malformed "a" has more than 1048576 characters',
  ],
])('the gateway keeps or withholds an item that a backend offers: %s', (_, item, expected) => {
  const { fit, unfit } = splitItems([item], 'tools');
  const said = unfit.map(
    ({ name, index, reason, detail }) => `${reason} ${name ? `"${name}"` : `#${index}`} ${detail}`,
  );
  expect([fit, said]).toEqual(expected === undefined ? [[item], []] : [[], [expected]]);
});

test('the gateway keeps the first valid item of several items with the same name', () => {
  const broken = { uri: 'x:1', name: 'a', deep: nested(90) };
  const list = [broken, { uri: 'x:1', name: 'b' }, { uri: 'x:2', name: 'c' }, { uri: 'x:1', name: 'd' }];
  const { fit, unfit } = splitItems(list, 'resources');
  expect(fit).toEqual([list[1], list[2]]);
  expect(unfit.map(({ index, reason }) => [index, reason])).toEqual([
    [0, 'malformed'],
    [3, 'duplicate'],
  ]);
});

test('exactly the items that the gateway keeps have a digest', () => {
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });
  const text = fc.string({ unit: fc.nat({ max: 0xffff }).map(code => String.fromCharCode(code)) });
  fc.assert(
    fc.property(fc.oneof(value, text), given => {
      const item = { name: 'a', given };
      expect(splitItems([item], 'tools').fit.length).toBe(hasDigest(item) ? 1 : 0);
    }),
  );
});

function hasDigest(value: unknown): boolean {
  try {
    formatCanonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
