import { expect, test } from 'vitest';
import { mapLiteralOffsets } from '../../../compiler/source/literal-offsets.ts';

test.each([
  ["'ab'", 'ab', [1, 2, 3]],
  ['"a\\nb"', 'a\nb', [1, 2, 4, 5]],
  ["'it\\'s'", "it's", [1, 2, 3, 5, 6]],
  ['`a\r\nb`', 'a\nb', [1, 2, 4, 5]],
  ["'\\x41\\u0042\\u{1F600}'", 'AB\u{1F600}', [1, 5, 11, 11, 20]],
  ["'a\\\nb'", 'ab', [1, 4, 5]],
  ["''", '', [1]],
])('each character of the TypeScript literal %j has its offset in the source', (written, value, offsets) => {
  expect(mapLiteralOffsets(written, value)).toEqual(offsets);
});

test.each([
  ['`$' + '{a}b`', 'xb'],
  ['image', 'image'],
  ["'a'", 'b'],
  ["'a' + 'b'", 'ab'],
])('the TypeScript expression %j has no offsets, because it does not show its value', (written, value) => {
  expect(mapLiteralOffsets(written, value)).toBeUndefined();
});
