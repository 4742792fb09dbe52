/** Thousands of subscriptions of one client must not keep others from a backend, and end when the client disconnects. */
import { type ClientRequest, request as httpRequest, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { open, readUntil } from '../client-edge/fake-gateway.ts';
import { ask, findHeaders, formatRequest } from '../stateless-edge/requests.ts';

/** Limit on concurrent subscriptions at one backend. */
const UNDER_WAY = 32;

const ACCEPT = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const listening = (resourceSubscriptions: readonly string[]) => ({
  method: 'subscriptions/listen',
  params: { notifications: { resourceSubscriptions } },
});
/** The headers that have a value. */
const given = (headers: { readonly [name: string]: string | undefined }) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
const uris = (count: number, of: string) => Array.from({ length: count }, (_, i) => `x://${of}/${i}`);

/** A backend with templates only; while it is held, it answers no `resources/subscribe`. */
async function start() {
  const subscribed: { readonly uri: string; readonly response: ServerResponse; isClosed: boolean }[] = [];
  const world = { isHeld: true, subscribed };
  const results: { readonly [method: string]: object } = {
    'resources/list': { resources: [] },
    'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'x://{+id}', name: 't' }] },
    'resources/read': { contents: [] },
  };
  const server = await startRawServer(
    withHandshake(
      ({ message: { id, method, params } }, response) => {
        if (method === 'server/discover') {
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
          return;
        }
        if (method === 'resources/subscribe') {
          const subscription = { uri: params.uri as string, response, isClosed: false };
          subscribed.push(subscription);
          response.once('close', () => {
            subscription.isClosed = true;
          });
          if (world.isHeld) return;
        }
        sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
      },
      's-1',
      { resources: { subscribe: true } },
    ),
  );
  onTestFinished(() => server.close());
  // Longer than a test may take.
  const backends = [backendPlan('a', `${server.origin}/mcp`, { timeoutMs: 60_000 })];
  const gateway = await startGateway({ backends });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { ...gateway, world, server };
}

/** A client that opens a stream and does not wait for it. */
function listen(url: string, resources: readonly string[]): ClientRequest {
  const message = listening(resources);
  const request = httpRequest(url, {
    method: 'POST',
    agent: false,
    headers: given({ ...ACCEPT, ...findHeaders(message) }),
  });
  request.on('error', () => {}).end(formatRequest(message));
  onTestFinished(() => void request.destroy());
  return request;
}

/** The URIs to which a stream is subscribed. */
async function honoured(url: string, resources: readonly string[]): Promise<string[]> {
  const message = listening(resources);
  const stream = await open(url, 'POST', { ...ACCEPT, ...findHeaders(message) }, formatRequest(message));
  onTestFinished(() => void stream.destroy());
  const text = await readUntil(stream, '\n\n');
  return JSON.parse(/data: (.*)/.exec(text)?.[1] ?? '').params.notifications.resourceSubscriptions ?? [];
}

test('the gateway ends the subscriptions of a client that disconnects before the acknowledgement', async () => {
  const { url, world } = await start();
  const { subscribed } = world;
  const clients = ['one', 'two', 'three'].map(name => listen(url, uris(1000, name)));
  await eventually(() => subscribed.length === UNDER_WAY);
  for (const client of clients) client.destroy();
  await eventually(() => subscribed.every(({ isClosed }) => isClosed));
  world.isHeld = false;
  expect(await honoured(url, ['x://other'])).toEqual(['x://other']);
  expect(subscribed.slice(UNDER_WAY).map(({ uri }) => uri)).toEqual(['x://other']);
});

test('calls and other subscriptions succeed while the gateway still requests the many subscriptions of one stream', async () => {
  const { url, world } = await start();
  const { subscribed } = world;
  const client = listen(url, uris(1000, 'many'));
  await eventually(() => subscribed.length === UNDER_WAY);
  const reads = await Promise.all(
    uris(20, 'read').map(uri => ask(url, { method: 'resources/read', params: { uri }, headers: { 'Mcp-Name': uri } })),
  );
  expect(reads.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(subscribed).toHaveLength(UNDER_WAY);
  const other = honoured(url, ['x://other']);
  await eventually(async () => {
    // One by one.
    const next = subscribed.find(({ response, isClosed }) => !response.writableEnded && !isClosed);
    if (next !== undefined) sendJson(next.response, '{"jsonrpc":"2.0","id":0,"result":{}}');
    return subscribed.some(({ uri }) => uri === 'x://other');
  });
  expect(subscribed.findIndex(({ uri }) => uri === 'x://other')).toBeLessThan(2 * UNDER_WAY);
  world.isHeld = false;
  client.destroy();
  for (const { response } of subscribed) if (!response.writableEnded) response.destroy();
  await other;
});

test('a client can subscribe in one request to more resources than the gateway requests at a time', async () => {
  const { url, world } = await start();
  world.isHeld = false;
  const all = uris(3 * UNDER_WAY, 'all');
  expect(await honoured(url, [...all, ...all])).toEqual(all);
});
