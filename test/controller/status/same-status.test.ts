import { expect, test } from 'vitest';
import { areStatusesEqual } from '../../../controller/status/index.ts';

test.each<[name: string, a: unknown, b: unknown, same: boolean]>([
  ['two empty statuses are equal', {}, {}, true],
  ['members in another order are equal', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
  ['an undefined member equals an absent member', { a: 1, b: undefined }, { a: 1 }, true],
  ['null differs from an absent member', { a: null }, {}, false],
  ['an additional member differs', { a: 1 }, { a: 1, b: 2 }, false],
  ['a missing member differs', { a: 1, b: 2 }, { a: 1 }, false],
  ['another value differs', { a: 1 }, { a: 2 }, false],
  ['a value of another type differs', { a: 1 }, { a: '1' }, false],
  ['scalars in another order differ', { a: [1, 2] }, { a: [2, 1] }, false],
  [
    'list entries with a type in another order are equal',
    [{ type: 'A' }, { type: 'B' }],
    [{ type: 'B' }, { type: 'A' }],
    true,
  ],
  [
    'list entries with a name in another order are equal',
    [{ name: 'a', x: [1] }, { name: 'b' }],
    [{ name: 'b' }, { name: 'a', x: [1] }],
    true,
  ],
  ['a changed list entry differs', [{ name: 'a', x: 1 }], [{ name: 'a', x: 2 }], false],
  ['a missing list entry differs', [{ name: 'a' }, { name: 'b' }], [{ name: 'a' }], false],
  [
    'revisions in another order differ',
    [{ revision: 'a' }, { revision: 'b' }],
    [{ revision: 'b' }, { revision: 'a' }],
    false,
  ],
  ['an object differs from a list', [], {}, false],
])('the controller compares two statuses and finds them equal or not: %s', (_, a, b, same) => {
  expect(areStatusesEqual(a, b)).toBe(same);
  expect(areStatusesEqual(b, a)).toBe(same);
});
