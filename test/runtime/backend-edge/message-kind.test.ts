import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findMessageKind, type MessageKind } from '../../../runtime/gateway/backends/messages/message-kind.ts';
import { anyCharacter } from '../../support/any-character.ts';

const kindOf = (json: string): MessageKind | undefined => findMessageKind(Buffer.from(json));

const ROWS: readonly [name: string, json: string, kind: MessageKind | undefined][] = [
  ['result last', '{"jsonrpc":"2.0","id":1,"result":{}}', { type: 'response', id: '1' }],
  ['result first', '{"result":{"a":[{"}":"]"}]},"jsonrpc":"2.0","id":"x"}', { type: 'response', id: '"x"' }],
  ['error', '{"id":1,"error":{"code":1,"message":""}}', { type: 'response', id: '1' }],
  ['null id', '{"error":{"code":1},"id":null}', { type: 'response', id: 'null' }],
  ['request', '{"jsonrpc":"2.0","id":1,"method":"ping"}', { type: 'request', id: '1', method: 'ping' }],
  ['request, id last', '{"method":"m","params":{"id":9},"id":2}', { type: 'request', id: '2', method: 'm' }],
  [
    'notification',
    '{"method":"notifications/x","params":{"id":5}}',
    { type: 'notification', method: 'notifications/x' },
  ],
  [
    'notification in the usual order, with more members after its method',
    '{"jsonrpc":"2.0","method":"notifications/\\u0078","id":5,"result":{}}',
    { type: 'notification', method: 'notifications/x' },
  ],
  ['unfinished notification in the usual order', '{"jsonrpc":"2.0","method":"notifications/x', undefined],
  [
    'a nested method does not count',
    '{"x":{"method":"m"},"id":1,"result":{"method":"n"}}',
    { type: 'response', id: '1' },
  ],
  [
    'keys inside strings do not count',
    '{"x":"\\",\\"method\\":\\"m","id":1,"result":0}',
    { type: 'response', id: '1' },
  ],
  ['escaped keys count', '{"\\u0069d":1,"m\\u0065thod":"p"}', { type: 'request', id: '1', method: 'p' }],
  ['escaped and plain ids are equal', '{"id":"\\u0061","result":1}', { type: 'response', id: '"a"' }],
  ['white space', ' {\n "id" : 1 ,\t"result" : null\r}', { type: 'response', id: '1' }],
  ['unknown fields', '{"zzz":[1,"]",{}],"id":-1.5e3,"more":true,"result":{}}', { type: 'response', id: '-1.5e3' }],
  ['an id without a value', '{"id":,"method":"m"}', { type: 'notification', method: 'm' }],
  ['an id that is an object', '{"id":{"a":"\\u"},"method":"m"}', { type: 'notification', method: 'm' }],
  ['an id that is an array', '{"id":[1],"method":"m"}', { type: 'notification', method: 'm' }],
  ['an id that is true', '{"id":true,"method":"m"}', { type: 'notification', method: 'm' }],
  ['an id that is not a valid number', '{"id":01,"method":"m"}', { type: 'notification', method: 'm' }],
  ['an id with a broken escape', '{"id":"\\u00","method":"m"}', { type: 'notification', method: 'm' }],
  ['an id with a line feed', '{"id":"a\nb","method":"m"}', { type: 'notification', method: 'm' }],
  ['a result whose id is an object', '{"id":{},"result":{}}', undefined],
  ['an id alone', '{"id":1}', undefined],
  ['a result alone', '{"result":1}', undefined],
  ['an empty object', '{}', undefined],
  ['a batch', '[{"id":1,"result":1}]', undefined],
  ['not JSON', 'garbage', undefined],
  ['an empty text', '', undefined],
  ['an unfinished string', '{"result":{"a":"', undefined],
  ['an unfinished member', '{"result"', undefined],
  ['an unfinished escape', '{"a\\', undefined],
];

test.each(ROWS)('the gateway finds the kind of a JSON-RPC message without parsing all of it: %s', (_name, json, kind) =>
  expect(kindOf(json)).toEqual(kind),
);

test('the gateway finds for any message the same kind as a full JSON parse', () => {
  const members = fc.record(
    {
      jsonrpc: fc.constant('2.0'),
      id: fc.oneof(fc.integer(), fc.string({ unit: anyCharacter, maxLength: 20 })),
      method: fc.string({ maxLength: 100 }),
      result: fc.jsonValue(),
      extra: fc.oneof(
        fc.jsonValue(),
        fc.string({ minLength: 60, maxLength: 300, unit: fc.constantFrom('\\', '"', 'x', 'é') }),
      ),
    },
    { requiredKeys: [] },
  );
  const message = fc.tuple(members, fc.integer()).map(([record, seed]) => {
    const entries = Object.entries(record).sort(
      (a, b) => ((a[0].length * 31 + seed) % 7) - ((b[0].length * 17 + seed) % 5),
    );
    return Object.fromEntries(entries);
  });
  fc.assert(
    fc.property(message, fc.constantFrom(undefined, 2), (value, indent) => {
      const has = (key: string) => Object.hasOwn(value, key);
      const id = JSON.stringify(value.id);
      let expected: MessageKind | undefined;
      if (has('method')) {
        const method = String(value.method);
        // A message with a method and a result is neither; the first of the two decides.
        if (has('result')) return;
        expected = has('id') ? { type: 'request', id, method } : { type: 'notification', method };
      } else if (has('id') && has('result')) expected = { type: 'response', id };
      expect(kindOf(JSON.stringify(value, null, indent))).toEqual(expected);
    }),
    { seed: 20251125, numRuns: 2_000 },
  );
});

test('the gateway counts a message with a method as a request only if its id is a string, a number or null', () => {
  const wild = fc.string({ unit: fc.constantFrom(...'"\\u0041ae-+.{}[]tn\n \u0001é'), maxLength: 8 });
  fc.assert(
    fc.property(fc.oneof(wild, fc.json(), wild.map(JSON.stringify)), text => {
      const kind = kindOf(`{"id":${text},"method":"m"}`);
      if (kind?.type === 'request') expect(['string', 'number', 'object']).toContain(typeof JSON.parse(kind.id));
      let id: unknown;
      try {
        ({ id } = JSON.parse(`{"id":${text}}`));
      } catch {
        return;
      }
      const isId = typeof id === 'string' || typeof id === 'number' || id === null;
      expect(kind?.type).toBe(isId ? 'request' : 'notification');
      if (kind?.type === 'request') expect(JSON.parse(kind.id)).toEqual(id);
    }),
    { seed: 20251125, numRuns: 2_000 },
  );
});
