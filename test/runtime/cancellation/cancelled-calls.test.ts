import { afterEach, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A backend that never answers a call and records whose connection has closed. */
async function silentBackend(): Promise<{ server: RawServer; closed: unknown[] }> {
  const closed: unknown[] = [];
  const server = await startRawServer(
    withHandshake(({ message }, response) => {
      if (message.method === 'tools/call') response.on('close', () => closed.push(message.id));
      else
        sendJson(
          response,
          `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}`,
        );
    }, 's-1'),
  );
  open.push(server);
  return { server, closed };
}

test.each([
  ['a stream', 'application/json, text/event-stream', /^$/],
  ['only JSON', 'application/json', /"the request was cancelled"/],
])(
  'when a client that accepts %s cancels a call, the call ends at once for the client and for the backend',
  async (_, accept, answer) => {
    const { server, closed } = await silentBackend();
    const gateway = await startGateway({
      backends: [backendPlan('a', `${server.origin}/mcp`, { timeoutMs: 3_600_000 })],
    });
    open.push({ close: () => gateway.stop() });
    const raw = new RawClient(gateway.url);
    await raw.open();
    await raw.request('tools/list');
    const call = raw.sendText('{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"a_t"}}', accept);
    await server.waitFor(({ message }) => message?.method === 'tools/call');
    await raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'c', reason: 'enough' } });
    const { status, text } = await call;
    expect(status).toBe(200);
    expect(text).toMatch(answer);
    await server.waitFor(({ body }) => body.includes('"requestId":"c"'));
    await eventually(() => closed.includes('c'));
  },
);

test('a backend gets a cancellation when the client disconnects', async () => {
  const { server } = await silentBackend();
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  open.push({ close: () => gateway.stop() });
  const raw = new RawClient(gateway.url);
  await raw.open();
  const leave = new AbortController();
  const call = fetch(gateway.url, {
    method: 'POST',
    signal: leave.signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': raw.sessionId ?? '',
    },
    body: '{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"a_t"}}',
  });
  await server.waitFor(({ message }) => message?.method === 'tools/call');
  leave.abort();
  await expect(call).rejects.toThrow();
  await server.waitFor(({ body }) => body.includes('notifications/cancelled') && body.includes('"requestId":77'));
});
