/** A backend's `input_required` is recognized by the beginning of a response or by a search in it: none is overlooked. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayRequireInput, readInputRequired } from '../../../runtime/gateway/backends/stateless/input-required.ts';

const ABLE = { capabilities: { roots: {} } };

test.each<[string, string, isWhole: boolean, may: boolean]>([
  ['the id first', '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[]}}', true, false],
  ['the result first', '{"result":{"resultType":"complete","content":[]},"jsonrpc":"2.0","id":7}', true, false],
  [
    'the beginning of a complete result',
    '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","con',
    false,
    false,
  ],
  [
    'the type after the content',
    '{"result":{"content":[],"resultType":"complete"},"jsonrpc":"2.0","id":7}',
    true,
    false,
  ],
  ['the beginning of a result with the content first', '{"result":{"content":[],"resul', false, true],
  [
    'a long complete result',
    `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","x":"${'x'.repeat(5_000)}"}}`,
    true,
    false,
  ],
  ['a long result of another type', `{"result":{"x":"${'x'.repeat(5_000)}","resultType":"x"},"id":7}`, true, false],
  ['no type', '{"jsonrpc":"2.0","id":7,"result":{"content":[]}}', true, false],
  ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}', true, false],
  ['input required', '{"jsonrpc":"2.0","id":7,"result":{"resultType":"input_required"}}', true, true],
  [
    'input required, with the type at the end',
    '{"jsonrpc":"2.0","id":7,"result":{"a":1,"resultType":"input_required"}}',
    true,
    true,
  ],
  [
    'a resultType outside of the result',
    '{"jsonrpc":"2.0","id":7,"x":{"resultType":"complete"},"result":{}}',
    false,
    true,
  ],
])(
  'the gateway finds out from a response of a stateless backend, or its beginning, whether it may require input: %s',
  (_, json, isWhole, may) => {
    expect(mayRequireInput(Buffer.from(json), '7', isWhole)).toBe(may);
  },
);

test('the gateway recognizes each response that requires input, in any spelling and cut into any chunks', () => {
  const space = fc.constantFrom('', ' ', '\n\t');
  const id = fc.constantFrom('7', '"a"', '"\\u0061"', '12345678901234567890');
  const more = fc.constantFrom(
    '"content":[]',
    '"requestState":"complete"',
    '"_meta":{"resultType":"complete"}',
    '"x":7',
  );
  const question = fc.record({ before: fc.uniqueArray(more), after: fc.uniqueArray(more), space }).map(parts => {
    const type = `"resultType"${parts.space}:${parts.space}"input_required"`;
    return `{${parts.space}${[...parts.before, type, ...parts.after].join(`,${parts.space}`)}}`;
  });
  const message = fc.tuple(question, id, space, fc.nat(5)).map(([result, given, gap, turn]) => {
    const members = [`"jsonrpc":${gap}"2.0"`, `"id":${gap}${given}`, `"result":${gap}${result}`];
    const order = members.map((_, at) => members[(at + turn) % 3] as string);
    return { id: given, json: Buffer.from(`{${gap}${order.join(`${gap},`)}}`) };
  });
  fc.assert(
    fc.property(message, fc.double({ min: 0, max: 1, noNaN: true }), (said, part) => {
      expect(readInputRequired(said.json, ABLE)).toBeDefined();
      expect(mayRequireInput(said.json, said.id, true)).toBe(true);
      const cut = said.json.subarray(0, Math.ceil(part * said.json.length));
      expect(mayRequireInput(cut, said.id, false)).toBe(true);
    }),
    { seed: 20261123, numRuns: 3_000 },
  );
});
