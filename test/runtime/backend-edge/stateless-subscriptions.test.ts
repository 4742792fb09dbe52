/** Subscriptions to resources of a stateless backend: for each change the gateway opens the backend's stream again, with the new set. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { eventText, IDENTITY, openEvents, type RawHandler, sendJson } from '../../support/raw-server.ts';
import { eventually, send } from './harness.ts';
import { answerTo } from './raw-peer.ts';
import { StatelessEdge } from './stateless-edge.ts';

const edge = new StatelessEdge();
afterEach(() => edge.dispose());

test('a client gets the updates of the resources that it subscribed to at a stateless backend', async () => {
  const { server, session } = await edge.connect();
  const heard: string[] = [];
  session.listen({ message: ({ text }) => heard.push(text) });
  await eventually(() => server.requests.some(({ method }) => method === 'subscriptions/listen'));
  expect((await send(session, 'resources/subscribe', { uri: 'memo://one' })).text).toContain('"result":{}');
  await server.update('memo://two');
  await server.update('memo://one');
  await eventually(() => heard.length > 0);
  expect(heard).toEqual(['{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"memo://one"}}']);
  await send(session, 'resources/unsubscribe', { uri: 'memo://one' });
  await server.update('memo://one');
  await server.setTools([]);
  await eventually(() => heard.length > 1);
  expect(heard.map(json => JSON.parse(json).method)).toEqual([
    'notifications/resources/updated',
    'notifications/tools/list_changed',
  ]);
  // Only the last stream is open.
  await eventually(() => server.openStreams === 1);
});

test('a stateless backend gets all of eight subscriptions that a client requests at the same moment', async () => {
  const { server, session } = await edge.connect();
  const heard: string[] = [];
  session.listen({ message: ({ uri }) => heard.push(uri?.value ?? '') });
  await session.open();
  const uris = Array.from({ length: 8 }, (_, n) => `memo://${n}`);
  const sinks = await Promise.all(uris.map(uri => send(session, 'resources/subscribe', { uri })));
  for (const sink of sinks) expect(sink.text).toContain('"result":{}');
  for (const uri of uris) await server.update(uri);
  await eventually(() => heard.length === 8);
  expect(heard).toEqual(uris);
});

test('a subscription fails when the acknowledgement of the stateless backend does not list the resource', async () => {
  const { session } = await edge.connectRaw((request, response) => {
    openEvents(response);
    const params = { notifications: { toolsListChanged: true } };
    const method = 'notifications/subscriptions/acknowledged';
    response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params })));
    expect(request.message.method).toBe('subscriptions/listen');
  });
  session.listen({ message() {} });
  const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
  expect(JSON.parse(sink.text).error).toEqual({
    code: -32601,
    message: 'the backend does not send notifications about changes of this resource',
  });
});

const REFUSAL = '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}';
const REFUSING: [string, RawHandler][] = [
  ['by HTTP 404', (_request, response) => sendJson(response, REFUSAL, {}, 404)],
  ['by HTTP 405', (_request, response) => void response.writeHead(405).end()],
  ['as JSON', (_request, response) => sendJson(response, REFUSAL)],
  ['as JSON, by -32602', (_request, response) => sendJson(response, REFUSAL.replace('-32601', '-32602'))],
  ['as JSON, by a result', (request, response) => sendJson(response, answerTo(request, '{}'))],
  [
    'as an event',
    (_request, response) => {
      openEvents(response);
      response.end(eventText(REFUSAL));
    },
  ],
];
const IDENTIFIED = '{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{}}';

test.each(REFUSING)('a subscription fails when the stateless backend refuses the stream (%s)', async (_, refuse) => {
  const { session, server } = await edge.connectRaw((request, response) => {
    if (request.message.method === 'server/discover') return sendJson(response, answerTo(request, IDENTIFIED));
    return refuse(request, response);
  });
  session.listen({ message() {} });
  for (const uri of ['memo://one', 'memo://two']) {
    const sink = await send(session, 'resources/subscribe', { uri });
    expect(JSON.parse(sink.text).error.code).toBe(-32601);
    expect((await send(session, 'resources/unsubscribe', { uri })).text).toContain('"result":{}');
  }
  const asked = server.requests.filter(({ message }) => message.method === 'subscriptions/listen');
  expect(asked.at(-1)?.message.params.notifications).not.toHaveProperty('resourceSubscriptions');
});

test.each<[string, RawHandler]>([
  ['HTTP 503', (_request, response) => void response.writeHead(503).end()],
  [
    'a stream that ends',
    (_request, response) => {
      openEvents(response);
      response.end();
    },
  ],
  ['a connection that breaks', (_request, response) => void response.destroy()],
  ['HTML', (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['JSON that is not JSON-RPC', (_request, response) => sendJson(response, '{"error":"busy"}')],
  ['HTTP 401', (_request, response) => void response.writeHead(401).end()],
  ['HTTP 413', (_request, response) => void response.writeHead(413).end()],
])(
  'a subscription fails, and is tried again, when the stateless backend does not acknowledge it (%s)',
  async (_, fail) => {
    let isWell = false;
    const heard: string[] = [];
    const { session } = await edge.connectRaw((request, response) => {
      if (!isWell) return fail(request, response);
      openEvents(response);
      const { notifications } = request.message.params;
      const say = (method: string, params: object) =>
        void response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params })));
      say('subscriptions/acknowledged', { notifications });
      for (const uri of notifications.resourceSubscriptions ?? []) say('resources/updated', { uri });
    });
    session.listen({ message: ({ uri }) => heard.push(uri?.value ?? '') });
    const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
    expect(sink.error?.reason).toBe('connection_failed');
    isWell = true;
    await eventually(() => heard.includes('memo://one'));
  },
);

test('when a stateless backend has changed to sessions, the gateway repeats a subscription in a session', async () => {
  const subscribed: string[] = [];
  const { session } = await edge.connectRaw((request, response) => {
    const { id, method, params } = request.message ?? {};
    if (request.method !== 'POST') return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'initialize') return sendJson(response, answerTo(request, JSON.stringify(IDENTITY)));
    if (method !== 'resources/subscribe') return sendJson(response, REFUSAL, {}, 400);
    subscribed.push(params.uri);
    sendJson(response, answerTo(request, '{}'));
  });
  session.listen({ message() {} });
  const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
  expect(sink.text).toContain('"result":{}');
  expect(new Set(subscribed)).toEqual(new Set(['memo://one']));
});

const STRANGE = ['{}', '5', '"memo://one"', '[["memo://one"]]'];
test.each(STRANGE)(
  'a client gets the error -32601 for a subscription that a stateless backend acknowledges with the malformed list %s',
  async agreed => {
    const { session } = await edge.connectRaw((_request, response) => {
      openEvents(response);
      const params = `{"notifications":{"resourceSubscriptions":${agreed}}}`;
      const method = '"notifications/subscriptions/acknowledged"';
      response.write(eventText(`{"jsonrpc":"2.0","method":${method},"params":${params}}`));
    });
    session.listen({ message() {} });
    const sink = await send(session, 'resources/subscribe', { uri: 'memo://one' });
    expect(JSON.parse(sink.text).error.code).toBe(-32601);
  },
);

/** The error code in place of a stream, and how it arrives. */
const AWAY: [number, 'JSON' | 'an event'][] = [
  [-32603, 'JSON'],
  [-32603, 'an event'],
  [-32000, 'JSON'],
  [429, 'an event'],
];
test.each(AWAY)(
  'when a stateless backend answers one subscription with a temporary error %i (as %s), only this subscription fails',
  async (code, way) => {
    const STUMBLES = 'memo://two';
    const said: string[][] = [];
    const heard: string[] = [];
    const { session } = await edge.connectRaw((request, response) => {
      const uris: string[] = request.message.params.notifications.resourceSubscriptions ?? [];
      said.push(uris);
      const { id } = request.message;
      const error = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'busy' } });
      const isTold = !uris.includes(STUMBLES);
      if (!isTold && way === 'JSON') return sendJson(response, error);
      openEvents(response);
      if (!isTold) return void response.end(eventText(error));
      const params = { notifications: { resourceSubscriptions: uris } };
      const method = 'notifications/subscriptions/acknowledged';
      response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params })));
      response.write(eventText('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'));
    });
    session.listen({ message: ({ method }) => heard.push(method) });
    await eventually(() => heard.length === 1);
    expect((await send(session, 'resources/subscribe', { uri: 'memo://one' })).text).toContain('"result":{}');
    const failed = await send(session, 'resources/subscribe', { uri: STUMBLES });
    expect(failed.error?.reason).toBe('connection_failed');
    const { length } = said;
    await eventually(() => said.length > length);
    expect(said.at(-1)).toEqual(['memo://one']);
  },
);

test.each([-32603, -32000, -32601, -32022])(
  'the gateway opens a subscription stream again when a stateless backend ends it with the error %i',
  async code => {
    const streams: ServerResponse[] = [];
    const { session, server } = await edge.connectRaw((request, response) => {
      if (request.message.method === 'server/discover') return sendJson(response, answerTo(request, IDENTIFIED));
      openEvents(response);
      const { notifications } = request.message.params;
      const method = 'notifications/subscriptions/acknowledged';
      response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params: { notifications } })));
      streams.push(response);
    });
    let missed = 0;
    session.listen({ message() {}, missed: () => missed++ });
    expect((await send(session, 'resources/subscribe', { uri: 'memo://one' })).text).toContain('"result":{}');
    for (let round = 1; round <= 3; round++) {
      const { id } = server.requests.at(-1)?.message ?? {};
      const error = { jsonrpc: '2.0', id, error: { code, message: 'shutting down' } };
      streams.at(-1)?.end(eventText(JSON.stringify(error)));
      await eventually(() => missed === round);
      expect(server.requests.at(-1)?.message.params.notifications.resourceSubscriptions).toEqual(['memo://one']);
    }
  },
);

test('the gateway opens a lost subscription stream again, and the session reports that the gateway may have missed a notification', async () => {
  const { server, session } = await edge.connect();
  let missed = 0;
  session.listen({ message() {}, missed: () => missed++ });
  await eventually(() => server.openStreams === 1 && server.initializations === 1);
  await send(session, 'resources/subscribe', { uri: 'memo://one' });
  server.dropConnections();
  await eventually(() => missed === 1);
  expect(server.subscriptions).toEqual(['memo://one']);
});
