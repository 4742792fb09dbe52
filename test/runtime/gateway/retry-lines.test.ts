/** `retry` in an event stream, which some clients (Java SDK 1.1) do not accept: a client gets what the backend sent, or none. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const PROGRESS = eventText('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}');

/** The `retry` lines that a client gets for a call whose response consists of `head`, a message, `middle` and the result. */
async function retryLines(revision: string, head: string, middle = ''): Promise<string[]> {
  const backend = await startRawServer(
    withHandshake(({ message: { id, method } }, response) => {
      if (method === 'tools/list') {
        const tools = [{ name: 't', inputSchema: { type: 'object' } }];
        return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools } }));
      }
      openEvents(response);
      response.end(
        head + PROGRESS + middle + eventText(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })),
      );
    }, 's-1'),
  );
  onTestFinished(() => backend.close());
  const gateway = await startGateway({ backends: [backendPlan('a', `${backend.origin}/mcp`)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  const client = new RawClient(gateway.url);
  await client.open(revision);
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': client.sessionId ?? '',
    },
    body: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a_t","arguments":{}}}',
  });
  const text = await response.text();
  expect(text).toContain('"notifications/message"');
  expect(text).toContain('"id":7');
  return text.split('\n').filter(line => line.startsWith('retry'));
}

test.each([
  ['none if the backend sent none', '2025-11-25', '', '', []],
  ['none after an event that only has an id', '2025-11-25', 'id: 1\ndata:\n\n', '', []],
  ['none if it is not a number', '2025-11-25', 'retry: soon\n\n', '', []],
  ['at the beginning of the stream', '2025-11-25', 'id: 1\nretry: 250\ndata:\n\n', '', ['retry: 250']],
  ['later in the stream', '2025-11-25', '', 'retry: 250\n\n', ['retry: 250']],
  ['the same time only once', '2025-11-25', 'retry: 250\n\n', 'retry: 250\n\n', ['retry: 250']],
  ['another time after the first', '2025-11-25', 'retry: 250\n\n', 'retry: 300\n\n', ['retry: 250', 'retry: 300']],
  ['the shortest allowed time for a very short time', '2025-11-25', 'retry: 0\n\n', '', ['retry: 100']],
  [
    'the longest allowed time for a very long time',
    '2025-11-25',
    `retry: ${'9'.repeat(400)}\n\n`,
    '',
    ['retry: 300000'],
  ],
  ['for a client of revision 2025-06-18', '2025-06-18', 'retry: 250\n\n', '', ['retry: 250']],
  ['none for a client of revision 2025-06-18', '2025-06-18', '', '', []],
])(
  'a client gets the retry line of the event stream of its backend: %s',
  async (_, revision, head, middle, expected) => {
    expect(await retryLines(revision, head, middle)).toEqual(expected);
  },
);
