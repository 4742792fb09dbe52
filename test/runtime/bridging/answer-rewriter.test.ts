/** The gateway rewrites the response to one request into the response to another, however the response is split into chunks. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddedMembers } from '../../../runtime/gateway/backends/messages/added-members.ts';
import { ResponseRewriter } from '../../../runtime/gateway/backends/messages/response-rewriter.ts';
import { anyCharacter } from '../../support/any-character.ts';

const ADDED = new AddedMembers({ resultType: 'complete', ttlMs: 0 });
const MEMBERS = ADDED.json;

function rewritten(text: string, { id = '"new"', pieces = [text.length], adds = true } = {}): string {
  const rewriter = new ResponseRewriter(id, adds ? ADDED : undefined);
  const bytes = Buffer.from(text);
  const out: Uint8Array[] = [];
  let at = 0;
  for (const size of pieces) {
    out.push(rewriter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  out.push(rewriter.push(bytes.subarray(at)));
  return Buffer.concat(out).toString();
}

test.each([
  ['id first', '{"jsonrpc":"2.0","id":1,"result":{"a":1}}', `{"jsonrpc":"2.0","id":"new","result":{${MEMBERS},"a":1}}`],
  ['id last', '{"result":{"a":1},"jsonrpc":"2.0","id":1}', `{"result":{${MEMBERS},"a":1},"jsonrpc":"2.0","id":"new"}`],
  ['an empty result', '{"id":1,"result":{ }}', `{"id":"new","result":{${MEMBERS} }}`],
  ['spaces', '{ "id" : 1 , "result" : { "a" : 1 } }', `{ "id" :"new", "result" : {${MEMBERS} ,"a" : 1 } }`],
  ['an id with braces', '{"id":"},\\"{","result":{"a":1}}', `{"id":"new","result":{${MEMBERS},"a":1}}`],
  ['an error', '{"id":1,"error":{"code":-1,"message":"id"}}', '{"id":"new","error":{"code":-1,"message":"id"}}'],
  [
    'nested members of the same names',
    '{"id":1,"result":{"id":2,"result":{"id":3},"list":[{"id":4}],"text":"\\"id\\":5"}}',
    `{"id":"new","result":{${MEMBERS},"id":2,"result":{"id":3},"list":[{"id":4}],"text":"\\"id\\":5"}}`,
  ],
  ['strings that equal keys', '{"x":"id","id":1,"result":{}}', `{"x":"id","id":"new","result":{${MEMBERS}}}`],
  ['a result that is a list', '{"id":1,"result":[{"a":1}]}', '{"id":"new","result":[{"a":1}]}'],
  ['a null result', '{"id":1,"result":null,"x":{}}', '{"id":"new","result":null,"x":{}}'],
  ['a list, which is no answer', '[{"id":1}]', '[{"id":1}]'],
])('the gateway replaces the id of an answer and adds its own members to the result: %s', (_, text, expected) => {
  expect(rewritten(text)).toBe(expected);
});

test('the gateway changes only the id of an answer when it adds no members', () => {
  expect(rewritten('{"id":1,"result":{"a":1}}', { adds: false, id: '7' })).toBe('{"id":7,"result":{"a":1}}');
});

test('for any answer in any chunks, the gateway changes only the id and adds its members, and no other text', () => {
  const answers = fc.record({
    order: fc.shuffledSubarray(['jsonrpc', 'id', 'result', 'extra'], { minLength: 4 }),
    id: fc.oneof(fc.integer(), fc.string({ unit: anyCharacter })),
    result: fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue()),
    extra: fc.jsonValue(),
    indent: fc.constantFrom(0, 1, '\t', '\r\n '),
    pieces: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
  });
  fc.assert(
    fc.property(answers, ({ order, id, result, extra, indent, pieces }) => {
      const members: Record<string, unknown> = { jsonrpc: '2.0', id, result, extra };
      const text = JSON.stringify(Object.fromEntries(order.map(name => [name, members[name]])), null, indent);
      const wanted = { jsonrpc: '2.0', id: 'new', result: { resultType: 'complete', ttlMs: 0, ...result }, extra };
      expect(JSON.parse(rewritten(text, { pieces }))).toEqual(JSON.parse(JSON.stringify(wanted)));
    }),
    { numRuns: 500, seed: 20260728 },
  );
});

test('the gateway adds a member to an answer that arrives byte by byte', () => {
  const text = `{"id":1,"result":{"a":1,${' '.repeat(150_000)}"b":2}}`;
  const pieces = new Array<number>(text.length).fill(1);
  expect(rewritten(text, { pieces })).toBe(`{"id":"new","result":{${MEMBERS},"a":1,${' '.repeat(150_000)}"b":2}}`);
});
