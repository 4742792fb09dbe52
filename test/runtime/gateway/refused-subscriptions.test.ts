/** A stateless backend without `subscriptions/listen`: no client gets an acknowledgement. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { sendJson, startRawServer } from '../../support/raw-server.ts';
import { open, readUntil } from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';

const RESULTS: Readonly<Record<string, object>> = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { resources: {} } },
  'resources/list': { resources: [{ uri: 'x://a', name: 'a' }] },
  'resources/templates/list': { resourceTemplates: [] },
};

test('when a backend refuses a subscription, a client in a session gets the error, and the acknowledgement of a stateless client omits the resource', async () => {
  const server = await startRawServer(({ message }, response) => {
    const { id, method } = message;
    const result = RESULTS[method];
    const refusal = { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
    if (result === undefined) return sendJson(response, JSON.stringify(refusal), {}, 404);
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } }));
  });
  onTestFinished(() => server.close());
  await using gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  const raw = new RawClient(gateway.url);
  await raw.open();
  const { text } = await raw.request('resources/subscribe', { uri: 'x://a' });
  expect(JSON.parse(text)).toMatchObject({ error: { code: -32601 } });
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['x://a'] };
  const request = { method: 'subscriptions/listen', params: { notifications } };
  const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const stream = await open(gateway.url, 'POST', { ...accept, ...findHeaders(request) }, formatRequest(request));
  onTestFinished(() => void stream.destroy());
  const heard = await readUntil(stream, 'acknowledged');
  expect(heard).toContain('"notifications":{"toolsListChanged":true}');
});
