/** A `subscriptions/listen` that has ended is no longer a listener in the gateway. */
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { startGuarded } from '../edge-auth/guarded-gateway.ts';
import { bearer } from '../edge-auth/tokens.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';

const URIS = ['x://quick', 'x://slow'];
const CAPABILITIES = { resources: { subscribe: true } };

/** A gateway with a backend that answers subscriptions to `x://slow` when the test decides. */
async function serve() {
  const waiting: (() => void)[] = [];
  const backend = await startRawServer(
    withHandshake(
      ({ message: { id, method, params } }, response: ServerResponse) => {
        const result = (value: object) => sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: value }));
        if (method === 'resources/list') return result({ resources: URIS.map(uri => ({ uri, name: uri })) });
        if (method === 'resources/templates/list') return result({ resourceTemplates: [] });
        if (params?.uri === 'x://slow') waiting.push(() => result({}));
        else result({});
      },
      's',
      CAPABILITIES,
    ),
  );
  onTestFinished(() => backend.close());
  const plan = backendPlan('a', `${backend.origin}/mcp`);
  const { url, gateway } = await startGuarded([plan], { engine: 'none', policyCount: 0 });
  const listen = async (uri: string, signal: AbortSignal) => {
    const notifications = { toolsListChanged: true, resourceSubscriptions: [uri] };
    const request = { method: 'subscriptions/listen', params: { notifications } };
    const { body } = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        Authorization: bearer({ sub: 'ann' }),
        ...(findHeaders(request) as Record<string, string>),
      },
      body: formatRequest(request),
      signal,
    });
    const { value } = await (body as ReadableStream<Uint8Array>).getReader().read();
    return Buffer.from(value ?? '').toString();
  };
  return { waiting, gateway, listen };
}

test('the gateway ends the subscriptions of a stream that is closed after the acknowledgement', async () => {
  const { gateway, listen } = await serve();
  const [first, others] = [new AbortController(), new AbortController()];
  const signals = [first, others, others, others].map(({ signal }) => signal);
  const heard = await Promise.all(signals.map(signal => listen('x://quick', signal)));
  for (const text of heard) expect(text).toContain('"resourceSubscriptions":["x://quick"]');
  expect(gateway.listeners.size).toBe(4);
  others.abort();
  await eventually(() => gateway.listeners.size === 1);
  first.abort();
  await eventually(() => gateway.listeners.size === 0);
});

test('the gateway ends the subscriptions of a stream that is closed before its backend has answered', async () => {
  const { waiting, gateway, listen } = await serve();
  const leaving = new AbortController();
  const stream = listen('x://slow', leaving.signal);
  await eventually(() => waiting.length === 1);
  expect(gateway.listeners.size).toBe(1);
  leaving.abort();
  await expect(stream).rejects.toThrow();
  waiting[0]?.();
  await eventually(() => gateway.listeners.size === 0);
});
