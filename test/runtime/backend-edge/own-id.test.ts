/** Which answers are about the request they came for, in one piece and in pieces of every size. */
import { describe, expect, test } from 'vitest';
import { hasOnlyId, OwnId } from '../../../runtime/gateway/backend/own-id.ts';

const LONG = 'x'.repeat(10_000);

const CASES: readonly [name: string, json: string, id: string, isOwn: boolean][] = [
  ['its id', '{"jsonrpc":"2.0","id":7,"result":{}}', '7', true],
  ['its id at the end', '{"result":{"id":8,"a":[{"id":9}]},"jsonrpc":"2.0","id":7}', '7', true],
  ['its id with space around', ' { "id" : 7 , "result" : { } } ', '7', true],
  ['its id, a string', '{"id":"a,}:b","result":{}}', '"a,}:b"', true],
  ['its id in another spelling', '{"\\u0069d":"\\u0061\\"","result":{}}', '"a\\""', true],
  ['its id beyond ASCII', '{"id":"\\u00e9","result":{"id":"é"}}', '"é"', true],
  ['its id twice', '{"id":7,"result":{},"id":7}', '7', false],
  ['its id twice, once in disguise', '{"id":7,"result":{},"\\u0069d":7}', '7', false],
  ['another id in text', '{"id":7,"result":{"text":"\\"id\\":8,\\\\"}}', '7', true],
  ['long names and values', `{"${LONG}":"${LONG}","id":7,"result":{"${LONG}":1}}`, '7', true],
  ['another id', '{"jsonrpc":"2.0","id":8,"result":{}}', '7', false],
  ['another id at the end', '{"result":{"id":7},"id":8}', '7', false],
  ['another id after its own', '{"id":7,"result":{},"id":8}', '7', false],
  ['another id in disguise', '{"id":7,"result":{},"\\u0069\\u0064":8}', '7', false],
  ['a number for a string', '{"id":7,"result":{}}', '"7"', false],
  ['no id', '{"id":null,"error":{"code":1,"message":""}}', '7', false],
  ['an object', '{"id":{"id":7},"result":{}}', '7', false],
  ['a long id', `{"id":"${LONG}","result":{}}`, '7', false],
];

describe.each(CASES)('%s', (_name, json, id, isOwn) => {
  const bytes = Buffer.from(json);
  test('in one piece', () => expect(hasOnlyId(bytes, id)).toBe(isOwn));
  test.each([1, 2, 3, 5, 8])('in pieces of %i bytes', size => {
    const ownId = new OwnId(id);
    const verdicts: boolean[] = [];
    for (let at = 0; at < bytes.length && verdicts.at(-1) !== false; at += size) {
      verdicts.push(ownId.push(bytes.subarray(at, at + size)));
    }
    expect(verdicts.at(-1)).toBe(isOwn);
  });
});
