/** Which message is the response to a request, in one piece and in pieces of every size. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ResponseValidator, validateResponse } from '../../../runtime/gateway/backends/messages/response-validator.ts';

const LONG = 'x'.repeat(10_000);

const CASES: readonly [name: string, json: string, id: string, isOwn: boolean][] = [
  ['its id', '{"jsonrpc":"2.0","id":7,"result":{}}', '7', true],
  ['its id at the end', '{"result":{"id":8,"a":[{"id":9}]},"jsonrpc":"2.0","id":7}', '7', true],
  ['its id with space around', ' { "id" : 7 , "result" : { } } ', '7', true],
  ['its id, a string', '{"id":"a,}:b","result":{}}', '"a,}:b"', true],
  ['its id in another spelling', '{"\\u0069d":"\\u0061\\"","result":{}}', '"a\\""', true],
  ['an id beyond ASCII', '{"id":"\\u00e9","result":{"id":"é"}}', '"é"', true],
  ['its id twice', '{"id":7,"result":{},"id":7}', '7', false],
  ['its id twice, once with escapes', '{"id":7,"result":{},"\\u0069d":7}', '7', false],
  ['another id in text', '{"id":7,"result":{"text":"\\"id\\":8,\\\\"}}', '7', true],
  ['long names and values', `{"${LONG}":"${LONG}","id":7,"result":{"${LONG}":1}}`, '7', true],
  ['another id', '{"jsonrpc":"2.0","id":8,"result":{}}', '7', false],
  ['another id at the end', '{"result":{"id":7},"id":8}', '7', false],
  ['another id after its own', '{"id":7,"result":{},"id":8}', '7', false],
  ['another id with escapes', '{"id":7,"result":{},"\\u0069\\u0064":8}', '7', false],
  ['a number for a string', '{"id":7,"result":{}}', '"7"', false],
  ['no id', '{"id":null,"error":{"code":1,"message":""}}', '7', false],
  ['an object', '{"id":{"id":7},"result":{}}', '7', false],
  ['a long id', `{"id":"${LONG}","result":{}}`, '7', false],
  ['another id after much white space', `{"id":7,"result":{},${' '.repeat(5_000)}"id":8}`, '7', false],
  ['another id before much white space', `{"id":7,"result":{},"id"${' '.repeat(5_000)}:8}`, '7', false],
  ['an id in upper case', '{"jsonrpc":"2.0","id":7,"result":{},"ID":8}', '7', false],
  ['an id in upper case behind another name', '{"jsonrpc":"2.0","id":7,"result":{} , "a":{},\n"Id" : 8}', '7', false],
  ['an id in upper case before its own', '{"result":{},"iD":8,"jsonrpc":"2.0","id":7}', '7', false],
  ['an id within the result only', '{"jsonrpc":"2.0","result":{"id":7}}', '7', false],
  ['no id at all', '{"jsonrpc":"2.0","result":{}}', '7', false],
  ['an id alone', '{"jsonrpc":"2.0","id":7}', '7', false],
  ['an error', '{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}', '7', true],
  ['an error that is null, and a result', '{"jsonrpc":"2.0","id":7,"error":null,"result":{}}', '7', true],
  ['two results', '{"jsonrpc":"2.0","id":7,"result":{},"result":{}}', '7', false],
  ['two results, one with escapes', '{"jsonrpc":"2.0","id":7,"result":{},"re\\u017fult":{}}', '7', false],
  ['two results, one with a long s', '{"jsonrpc":"2.0","id":7,"result":{},"re\u017fult":{}}', '7', false],
  ['a request', '{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{}}', '7', false],
  ['a notification', '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', '7', false],
  ['a result and a method', '{"jsonrpc":"2.0","id":7,"result":{},"method":"ping"}', '7', false],
  ['a result and a method with escapes', '{"result":{},"m\\u0065thod":"ping","jsonrpc":"2.0","id":7}', '7', false],
  ['a result with a member method', '{"jsonrpc":"2.0","id":7,"result":{"a":{},"method":"x","id":8}}', '7', true],
  [
    'names that end like protocol members',
    '{"jsonrpc":"2.0","id":7,"result":{"a":{},"email":1,"b":{},"is":2,"c":{},"entry":3}}',
    '7',
    true,
  ],
  ['braces in texts', '{"jsonrpc":"2.0","id":7,"result":{"a":"},\\"id\\":8","b":"},"}}', '7', true],
  ['id last, after the revision', '{"result":{"a":1},"jsonrpc":"2.0","id":7}', '7', true],
  ['id before the revision', '{"result":{"a":1},"id":7,"jsonrpc":"2.0"}', '7', true],
  ['another id before the revision', '{"result":{"a":1},"id":8,"jsonrpc":"2.0"}', '7', false],
  ['a line feed after it', '{"jsonrpc":"2.0","id":7,"result":{}}\n', '7', true],
  [
    'another message after it',
    '{"jsonrpc":"2.0","id":7,"result":{}}\n{"jsonrpc":"2.0","id":8,"result":{}}',
    '7',
    false,
  ],
  ['an unfinished result', '{"jsonrpc":"2.0","id":7,"result":{"a":', '7', false],
  ['an array', '[{"jsonrpc":"2.0","id":7,"result":{}}]', '7', false],
  ['a result without a comma before it', '{"id":7 "result":{}}', '7', false],
  ['no JSON', '{hello}', '7', false],
];

describe.each(CASES)('a response with %s', (_name, json, id, isOwn) => {
  const bytes = Buffer.from(json);
  test('the gateway recognizes whether this text, read as a whole, is the response to its request', () =>
    expect(validateResponse(bytes, id) === undefined).toBe(isOwn));
  test.each([1, 2, 3, 5, 8])(
    'the gateway recognizes, reading pieces of %i bytes, whether this text is the response to its request',
    size => {
      const answer = new ResponseValidator(id);
      const verdicts: boolean[] = [];
      for (let at = 0; at < bytes.length && verdicts.at(-1) !== false; at += size) {
        verdicts.push(answer.push(bytes.subarray(at, at + size)));
      }
      expect(verdicts.at(-1) === true && answer.violationAtEnd === undefined).toBe(isOwn);
    },
  );
});

test.each<[json: string, mayLackId: boolean]>([
  ['{', true],
  ['{"jsonrpc":"2.0","error":{"id":7},', true],
  ['{"jsonrpc":"2.0","error":{}}', true],
  ['{"jsonrpc":"2.0","id":null,"error":{"code":1', true],
  ['{"jsonrpc":"2.0","id":nul', true],
  ['{"jsonrpc":"2.0","id":7,', false],
  ['{"jsonrpc":"2.0","id":8,', false],
  ['{"jsonrpc":"2.0","id":"null",', false],
  ['{"jsonrpc":"2.0","result":', false],
  ['{"jsonrpc":"2.0","method":', false],
  ['{"jsonrpc":"2.0","ID":', false],
  ['[', false],
])('a response that begins with %s may still turn out to be an error with the id null: %s', (json, mayLackId) => {
  for (const size of [1, json.length]) {
    const answer = new ResponseValidator('7');
    for (let at = 0; at < json.length; at += size) answer.push(Buffer.from(json.slice(at, at + size)));
    expect(answer.mayLackId).toBe(mayLackId);
  }
});

test('once a text cannot be the response to the request, no further text makes it acceptable', () => {
  const answer = new ResponseValidator('7');
  expect(answer.push(Buffer.from('{"jsonrpc":"2.0","id":null,'))).toBe(false);
  expect(answer.push(Buffer.from('"result":{}}'))).toBe(false);
  expect(answer.violationAtEnd).toBeDefined();
});

test('the gateway refuses a response in UTF-16', () => {
  expect(validateResponse(Buffer.from('{"jsonrpc":"2.0","id":7,"result":{}}', 'utf16le'), '7')).toBeDefined();
});

/** JSON text with escapes and other case in some names, and any whitespace. */
function wildText(members: readonly (readonly [string, string])[], seeds: readonly number[]): string {
  let drawn = 0;
  const draw = (below: number) => (seeds[drawn++ % seeds.length] ?? 0) % below;
  const space = () => ['', '', '', ' ', '\n\t'][draw(5)];
  const spelled = (name: string) =>
    [...name]
      .map(c => (draw(12) === 0 ? c.toUpperCase() : c))
      .map(c => (draw(12) === 0 ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c))
      .join('');
  const text = members.map(([name, value]) => `${space()}"${spelled(name)}"${space()}:${space()}${value}${space()}`);
  return `{${text.join(',')}}${space()}`;
}

/** As a parser decides that treats a top-level name as Lintel's if any parser could. */
function isAnswer(members: readonly string[], value: Record<string, unknown>): boolean {
  const means = (name: string, ours: string) => name.toUpperCase() === ours.toUpperCase();
  const ours = members.filter(name => ['id', 'method', 'result', 'error'].some(known => means(name, known)));
  return (
    new Set(ours).size === ours.length &&
    ours.every(name => name === name.toLowerCase()) &&
    value.id === 7 &&
    !('method' in value) &&
    ('result' in value || 'error' in value)
  );
}

test('whole, in pieces and with a JSON parser, the gateway decides alike whether any text is the response to its request', () => {
  const inner = fc.constantFrom(
    '{}',
    '{"id":8}',
    '{"a":{},"method":"x"}',
    '{"a":"},\\"id\\":8"}',
    '[{"id":8}]',
    '"},"',
    'null',
  );
  const member = fc.oneof(
    fc.tuple(fc.constant('id'), fc.constantFrom('7', '7', '7', '8', '"7"', 'null')),
    fc.tuple(fc.constantFrom('result', 'result', 'error', 'x', 'email'), inner),
    fc.tuple(fc.constantFrom('jsonrpc', 'jsonrpc', 'method'), fc.constantFrom('"2.0"')),
  );
  const usual = fc.constantFrom(
    [
      ['jsonrpc', '"2.0"'],
      ['id', '7'],
      ['result', '{"a":{}}'],
    ] as [string, string][],
    [
      ['result', '{"a":{},"b":1}'],
      ['jsonrpc', '"2.0"'],
      ['id', '7'],
    ] as [string, string][],
  );
  const seeds = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 60 });
  const texts = fc.tuple(
    usual,
    fc.array(member, { maxLength: 3 }),
    fc.array(member, { maxLength: 5 }),
    fc.boolean(),
    seeds,
    fc.integer({ min: 1, max: 9 }),
  );
  let answers = 0;
  fc.assert(
    fc.property(texts, ([some, more, other, isUsual, draws, size]) => {
      const text = wildText(isUsual ? [...some, ...more] : other, isUsual ? draws.map(draw => draw % 12 || 1) : draws);
      const names: string[] = [];
      for (const [, name] of text.matchAll(/(?<=[{,]\s*)("[^"]*")\s*:/g)) names.push(JSON.parse(name as string));
      const value = JSON.parse(text) as Record<string, unknown>;
      const top = names.filter(name => Object.hasOwn(value, name));
      const bytes = Buffer.from(text);
      const whole = validateResponse(bytes, '7') === undefined;
      const answer = new ResponseValidator('7');
      let isAlive = true;
      for (let at = 0; isAlive && at < bytes.length; at += size) isAlive = answer.push(bytes.subarray(at, at + size));
      expect(isAlive && answer.violationAtEnd === undefined).toBe(whole);
      if (!whole) return;
      answers++;
      expect(isAnswer([...new Set(top)], value)).toBe(true);
    }),
    { numRuns: 3_000, seed: 20260728 },
  );
  expect(answers).toBeGreaterThan(200);
});
