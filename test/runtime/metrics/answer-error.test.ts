import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResponseError } from '../../../runtime/observe/requests/response-error.ts';

const ANSWERS: readonly (readonly [json: string, type: string])[] = [
  ['{"jsonrpc":"2.0","id":1,"result":{"content":[]}}', ''],
  ['{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}}', ''],
  ['{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}', 'tool_error'],
  ['{ "result" : { "isError" : true , "content" : [ ] } , "id" : 1 }', 'tool_error'],
  ['{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}', '-32602'],
  ['{"error":{"message":"no","code": -32001},"id":1}', '-32001'],
  ['{"error":{"message":"no"},"id":1}', 'unknown'],
  ['{"error":null,"result":{},"id":1}', ''],
  // `"isError":false` next to an error.
  ['{"id":1,"result":{"isError":false,"isError":true}}', 'tool_error'],
  ['{"id":1,"result":{"isError":false},"error":{"code":-32000}}', '-32000'],
  ['{"id":1,"error":{"code":-32000},"result":{"isError":false}}', '-32000'],
  ['{"id":1,"result":{"note":"\\"isError\\":false","isError":true}}', 'tool_error'],
  ['{"id":1,"result":{"isError": false}}', ''],
  // What only looks like an error: in a text, in a nested object, outside of the result.
  ['{"id":1,"result":{"content":[{"type":"text","text":"\\"isError\\":true"}]}}', ''],
  ['{"id":1,"result":{"structuredContent":{"isError":true,"error":{"code":1}}}}', ''],
  ['{"id":1,"isError":true,"result":{}}', ''],
  ['{"id":1,"result":{"error":{"code":5}}}', ''],
  ['no JSON at all "error"', ''],
  ['rror":false', ''],
  ['"isError"', ''],
];

function typeOf(chunks: readonly Buffer[], isWhole: boolean): string {
  const error = new ResponseError();
  for (const chunk of chunks) error.read(chunk, isWhole);
  return error.type;
}

test.each(ANSWERS)('the metrics take the error type of an answer from its JSON: %s', (json, type) => {
  expect(typeOf([Buffer.from(json)], true)).toBe(type);
});

test('the metrics find the error type of an answer that arrives in pieces of any size', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ANSWERS), fc.array(fc.nat(80), { maxLength: 6 }), ([json, type], cuts) => {
      const bytes = Buffer.from(json);
      const at = [0, ...cuts.map(cut => cut % bytes.length).sort((a, b) => a - b), bytes.length];
      const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      expect(typeOf(pieces, false)).toBe(type);
    }),
  );
});
