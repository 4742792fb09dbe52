/** The fast path for rewriting a response gives the same result as the full path, or leaves the response to it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddedMembers } from '../../../runtime/gateway/backends/messages/added-members.ts';
import { ResponseRewriter } from '../../../runtime/gateway/backends/messages/response-rewriter.ts';
import { validateResponse } from '../../../runtime/gateway/backends/messages/response-validator.ts';
import { rewriteCommonResponse } from '../../../runtime/gateway/stateless/common-response.ts';
import { anyCharacter } from '../../support/any-character.ts';

const ADDED = new AddedMembers({ resultType: 'complete' });
const MEMBERS = ADDED.json;

function rewritten(text: string, newId = '"new"'): string | undefined {
  const bytes = rewriteCommonResponse(Buffer.from(text), '7', newId, ADDED);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

test.each([
  ['id first', '{"jsonrpc":"2.0","id":7,"result":{"a":1}}', `{"jsonrpc":"2.0","id":"new","result":{${MEMBERS},"a":1}}`],
  ['id last', '{"result":{"a":1},"jsonrpc":"2.0","id":7}', `{"result":{${MEMBERS},"a":1},"jsonrpc":"2.0","id":"new"}`],
  [
    'empty result, id first',
    '{"jsonrpc":"2.0","id":7,"result":{}}',
    `{"jsonrpc":"2.0","id":"new","result":{${MEMBERS}}}`,
  ],
  [
    'empty result, id last',
    '{"result":{},"jsonrpc":"2.0","id":7}',
    `{"result":{${MEMBERS}},"jsonrpc":"2.0","id":"new"}`,
  ],
  [
    'an id inside of the result',
    '{"jsonrpc":"2.0","id":7,"result":{"id":7,"a":{"id":8}}}',
    `{"jsonrpc":"2.0","id":"new","result":{${MEMBERS},"id":7,"a":{"id":8}}}`,
  ],
  [
    'an id inside of the result, id last',
    '{"result":{"id":7},"jsonrpc":"2.0","id":7}',
    `{"result":{${MEMBERS},"id":7},"jsonrpc":"2.0","id":"new"}`,
  ],
  [
    'an id in a string',
    '{"jsonrpc":"2.0","id":7,"result":{"text":"{\\"id\\":7}"}}',
    `{"jsonrpc":"2.0","id":"new","result":{${MEMBERS},"text":"{\\"id\\":7}"}}`,
  ],
])('the fast path of the answer rewriter rewrites an answer: %s', (_, text, expected) => {
  expect(rewritten(text)).toBe(expected);
});

test('the fast path of the answer rewriter writes a new id of multi-byte characters', () => {
  expect(rewritten('{"jsonrpc":"2.0","id":7,"result":{"a":"ü"}}', '"ж😀"')).toBe(
    `{"jsonrpc":"2.0","id":"ж😀","result":{${MEMBERS},"a":"ü"}}`,
  );
  expect(rewritten('{"result":{"a":"ü"},"jsonrpc":"2.0","id":7}', '"ж😀"')).toBe(
    `{"result":{${MEMBERS},"a":"ü"},"jsonrpc":"2.0","id":"ж😀"}`,
  );
});

test.each([
  ['another id', '{"jsonrpc":"2.0","id":77,"result":{"a":1}}'],
  ['another id, last', '{"result":{"a":1},"jsonrpc":"2.0","id":77}'],
  ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":""}}'],
  ['a result that is a list', '{"jsonrpc":"2.0","id":7,"result":[1]}'],
  ['a space', '{"jsonrpc":"2.0","id":7,"result":{ "a":1}}'],
  ['line breaks', '{\n"result":{"a":1},"jsonrpc":"2.0","id":7}'],
  ['a space at the end', '{"result":{"a":1},"jsonrpc":"2.0","id":7} '],
  ['an unfinished result', '{"jsonrpc":"2.0","id":7,"result":{'],
  ['a result without an end', '{"result":{,"jsonrpc":"2.0","id":7}'],
  ['a member that the gateway adds', '{"jsonrpc":"2.0","id":7,"result":{"resultType":"x"}}'],
  ['a member that the gateway adds, with escapes', '{"result":{"a":1,"r\\u0065sultType":"x"},"jsonrpc":"2.0","id":7}'],
  ['an empty text', ''],
])('the fast path of the answer rewriter leaves an answer to the slow path: %s', (_, text) => {
  expect(rewritten(text)).toBeUndefined();
});

test.each([
  ['id first', '{"jsonrpc":"2.0","id":7,"result":{"a":1},"id":7}'],
  ['id last', '{"result":{"a":1},"id":7,"jsonrpc":"2.0","id":7}'],
])('the gateway refuses an answer of a backend that contains two ids, %s', (_, text) => {
  expect(validateResponse(Buffer.from(text), '7')).toBeDefined();
});

test('the fast path of the answer rewriter rewrites any answer in the same way as the slow path', () => {
  const answers = fc.record({
    isIdFirst: fc.boolean(),
    result: fc.dictionary(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom('id', 'result')), fc.jsonValue()),
    extra: fc.option(fc.jsonValue(), { nil: undefined }),
    newId: fc.oneof(fc.integer(), fc.string({ unit: anyCharacter })),
  });
  let taken = 0;
  fc.assert(
    fc.property(answers, ({ isIdFirst, result, extra, newId }) => {
      const answer = isIdFirst ? { jsonrpc: '2.0', id: 7, result, extra } : { result, extra, jsonrpc: '2.0', id: 7 };
      const bytes = Buffer.from(JSON.stringify(answer));
      const id = JSON.stringify(newId);
      expect(validateResponse(bytes, '7')).toBeUndefined();
      const usual = rewriteCommonResponse(bytes, '7', id, ADDED);
      if (usual === undefined) return;
      taken++;
      expect(Buffer.from(usual).toString()).toBe(Buffer.from(new ResponseRewriter(id, ADDED).push(bytes)).toString());
    }),
    { numRuns: 500, seed: 20260728 },
  );
  expect(taken).toBeGreaterThan(250);
});
