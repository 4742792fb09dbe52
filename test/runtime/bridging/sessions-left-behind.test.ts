/** Sessions with backends that no call may use any more: after a failed call, and in a replaced bundle. */
import { afterEach, expect, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type RawServer, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { open as openStream } from '../client-edge/fake-gateway.ts';
import { ask, findHeaders, formatRequest } from '../stateless-edge/requests.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A backend that answers neither calls nor the first subscription. */
async function stalling(): Promise<{ server: RawServer; gateway: TestGateway; url: string }> {
  let subscriptions = 0;
  const server = await startRawServer(
    withHandshake(
      ({ message: { id, method } }, response) => {
        if (method === 'tools/call' || (method === 'resources/subscribe' && ++subscriptions === 1)) return;
        const result = {
          tools: [{ name: 't', inputSchema: { type: 'object' } }],
          resources: [{ uri: 'x:1', name: 'x' }],
          resourceTemplates: [],
        };
        const outcome = method === 'server/discover' ? { error: { code: -32601, message: '' } } : { result };
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
      },
      's-1',
      { tools: {}, resources: { subscribe: true } },
    ),
  );
  open.push(server);
  const url = `${server.origin}/mcp`;
  const gateway = await startGateway({ backends: [backendPlan('a', url, { timeoutMs: 1_000 })] });
  open.push({ close: () => gateway.stop() });
  return { server, gateway, url };
}

test('the gateway sends DELETE for the session of a call that timed out, so that late messages do not reach the next caller', async () => {
  const { server, gateway } = await stalling();
  const { text } = await ask(gateway.url, { method: 'tools/call', params: { name: 'a_t' } });
  expect(JSON.parse(text).error).toMatchObject({ code: -32603, data: { reason: 'timeout' } });
  await server.waitFor(({ method }) => method === 'DELETE');
});

test('a resource subscription that a backend has not answered yet continues after a new bundle', async () => {
  const { server, gateway, url } = await stalling();
  const request = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: ['x:1'] } } };
  const listening = openStream(
    gateway.url,
    'POST',
    { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...findHeaders(request) },
    formatRequest(request),
  );
  const isSubscription = ({ message }: { message: { method?: string } | undefined }) =>
    message?.method === 'resources/subscribe';
  const first = await server.waitFor(isSubscription);
  await gateway.replace({ backends: [backendPlan('a', url, { timeoutMs: 900 })] });
  await server.waitFor(request => isSubscription(request) && request !== first);
  const stream = await listening;
  const acknowledged = new Promise(resolve => stream.once('data', chunk => resolve(String(chunk))));
  expect(await acknowledged).toContain('"resourceSubscriptions":["x:1"]');
  stream.destroy();
});
