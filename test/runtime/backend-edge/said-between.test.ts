import { expect, test } from 'vitest';
import type { Logger } from '#runtime';
import { readServerMessage } from '../../../runtime/gateway/backends/messages/server-message.ts';

const SECRET = 'hunter2';

function read(json: string, type: 'notification' | 'request' = 'notification') {
  const logged: unknown[] = [];
  const log = { debug: (...line: unknown[]) => void logged.push(line) } as unknown as Logger;
  return { message: readServerMessage({ backend: 'a', log }, json, type), logged };
}

test.each([
  ['not JSON', `{"jsonrpc":"2.0","method":"notifications/message","params":{${SECRET}}}`],
  ['cut off', `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${SECRET}`],
  ['a batch', `[{"jsonrpc":"2.0","method":"${SECRET}"}]`],
  ['a message whose params are a string', `{"jsonrpc":"2.0","method":"notifications/message","params":"${SECRET}"}`],
  ['a message with a method twice', `{"jsonrpc":"2.0","method":"${SECRET}","method":"notifications/message"}`],
  ['a message with a method in two cases', `{"jsonrpc":"2.0","method":"${SECRET}","Method":"notifications/message"}`],
  ['a message with a URI twice', `{"jsonrpc":"2.0","method":"n","params":{"uri":"x://a","\\u0075ri":"${SECRET}"}}`],
  ['not JSON-RPC', `{"method":"notifications/message","params":{"data":"${SECRET}"}}`],
  ['a request', `{"jsonrpc":"2.0","id":"${SECRET}","method":"ping"}`],
])(
  'the gateway does not forward a message of a backend that is %s, and the log names the backend without the text of the message',
  (_, json) => {
    const { message, logged } = read(json);
    expect(message).toBeUndefined();
    expect(logged).toMatchObject([[{ backend: 'a', flaw: expect.any(String) }, expect.any(String)]]);
    expect(JSON.stringify(logged)).not.toContain(SECRET);
  },
);

test('the gateway forwards a valid message of a backend with unchanged text, and reads its method even if it is written with escapes', () => {
  const json = '{ "jsonrpc":"2.0", "method":"notifications\\/m\\u0065ssage","params":{"data":1.50} }';
  const { message, logged } = read(json);
  expect(message).toMatchObject({ text: json, method: 'notifications/message' });
  expect(logged).toEqual([]);
});
