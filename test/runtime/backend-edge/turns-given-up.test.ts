/** A call has a turn while a request of its is on the way, and not while it waits for another one. */
import { afterEach, expect, test } from 'vitest';
import { sendJson, startRawServer } from '../../support/raw-server.ts';
import { Edge, planFor, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

test('calls that find their session gone leave room for what opens another', async () => {
  let sessions = 0;
  const server = await edge.server(
    startRawServer((request, response) => {
      const { message, headers } = request;
      if (message?.method === 'initialize') {
        const identity = '{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"a","version":"1"}}';
        sendJson(response, answerTo(request, identity), { 'mcp-session-id': `s-${++sessions}` });
      } else if (message?.id === undefined) response.writeHead(202).end();
      else if (headers['mcp-session-id'] === 's-1') response.writeHead(404).end();
      else sendJson(response, answerTo(request, '{}'));
    }),
  );
  const session = edge.sessionful(planFor(server.origin), edge.client({ connections: 2 }));
  await session.open();
  const calls = await Promise.all(Array.from({ length: 5 }, () => send(session, 'x')));
  expect(calls.map(({ error }) => error)).toEqual(calls.map(() => undefined));
  expect(sessions).toBe(2);
});
