import { expect, test } from 'vitest';
import { areStatusesEqual } from '../../../controller/status/index.ts';

test.each<[name: string, a: unknown, b: unknown, same: boolean]>([
  ['nothing', {}, {}, true],
  ['members in another order', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, true],
  ['an undefined member', { a: 1, b: undefined }, { a: 1 }, true],
  ['null is a value', { a: null }, {}, false],
  ['a member more', { a: 1 }, { a: 1, b: 2 }, false],
  ['a member less', { a: 1, b: 2 }, { a: 1 }, false],
  ['another value', { a: 1 }, { a: 2 }, false],
  ['another type', { a: 1 }, { a: '1' }, false],
  ['scalars in another order', { a: [1, 2] }, { a: [2, 1] }, false],
  ['entries by type in another order', [{ type: 'A' }, { type: 'B' }], [{ type: 'B' }, { type: 'A' }], true],
  [
    'entries by name in another order',
    [{ name: 'a', x: [1] }, { name: 'b' }],
    [{ name: 'b' }, { name: 'a', x: [1] }],
    true,
  ],
  ['an entry changed', [{ name: 'a', x: 1 }], [{ name: 'a', x: 2 }], false],
  ['an entry less', [{ name: 'a' }, { name: 'b' }], [{ name: 'a' }], false],
  ['revisions in another order', [{ revision: 'a' }, { revision: 'b' }], [{ revision: 'b' }, { revision: 'a' }], false],
  ['an object and a list', [], {}, false],
])('%s', (_, a, b, same) => {
  expect(areStatusesEqual(a, b)).toBe(same);
  expect(areStatusesEqual(b, a)).toBe(same);
});
