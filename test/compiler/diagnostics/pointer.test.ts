import { expect, test } from 'vitest';
import { formatPointer } from '../../../compiler/text/pointer.ts';

// The examples of RFC 6901, section 5.
test.each<[path: (string | number)[], pointer: string]>([
  [[], ''],
  [['foo'], '/foo'],
  [['foo', 0], '/foo/0'],
  [[''], '/'],
  [['a/b'], '/a~1b'],
  [['m~n'], '/m~0n'],
  [['~1'], '/~01'],
])('formatPointer writes the path %j as the JSON pointer %j', (path, pointer) => {
  expect(formatPointer(path)).toBe(pointer);
});
