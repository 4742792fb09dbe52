import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestArguments } from '../../../runtime/gateway/stateless/arguments-digest.ts';

const digest = (args: string): string => digestArguments(` {"params":{"arguments":${args},"name":"t"},"id":1}`);

test.each<[one: string, other: string, isSame: boolean]>([
  ['{"a":1,"b":{"c":[1,2]}}', '{ "b" : {"c":[1, 2]}, "\\u0061":1 }', true],
  ['{"a":[1,2]}', '{"a":[2,1]}', false],
  ['{"a":1}', '{"a":"1"}', false],
  ['{"a":1}', '{"a":"n1"}', false],
  ['{"a":null}', '{}', false],
  ['{"a":[]}', '{"a":{}}', false],
  ['{"a":1e400}', '{"a":1e401}', false],
  ['{"a":"\\ud800"}', '{"a":"\\ud801"}', false],
  ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', false],
  ['{"__proto__":{"a":1,"b":1}}', '{"__proto__":{"b":1,"a":1}}', true],
  [`{"a":"${'x'.repeat(70_000)}"}`, `{"a":"${'x'.repeat(70_000)}"}`, true],
  [`{"a":"${'x'.repeat(70_000)}"}`, `{"a":"${'x'.repeat(69_999)}y"}`, false],
])('the arguments %s and %s of two calls have the same digest: %s', (one, other, isSame) => {
  expect(digest(one) === digest(other)).toBe(isSame);
});

test('missing arguments have the digest of empty arguments', () => {
  for (const request of ['{"params":{"name":"t"}}', '{"id":1}', '{"params":{"arguments":{}}}']) {
    expect(digestArguments(request)).toBe(digest('{}'));
  }
});

/** The same value with the members of each object in reverse order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, reversed(member)])
      .reverse(),
  );
}

test('the arguments of two calls have the same digest exactly if they are equal as JSON values', () => {
  const value = fc.json({ maxDepth: 3, noUnicodeString: true }).map(text => JSON.parse(text) as unknown);
  fc.assert(
    fc.property(value, value, (one, other) => {
      const first = digest(JSON.stringify(one));
      expect(first === digest(JSON.stringify(other))).toBe(
        JSON.stringify(one) === JSON.stringify(other) || isDeepStrictEqual(one, other),
      );
      expect(digest(JSON.stringify(reversed(one), null, 1))).toBe(first);
    }),
    { seed: 5 },
  );
});
