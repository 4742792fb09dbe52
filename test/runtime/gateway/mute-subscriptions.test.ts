/** Backends that do not respond to a subscription: a stateless client's stream opens without them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import {
  eventText,
  openEvents,
  type RawHandler,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { open } from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';

const CAPABILITIES = { resources: { subscribe: true } };

/** A server that lists one resource, refuses `server/discover`, and answers all other requests with an empty result. */
const holding =
  (uri: string): RawHandler =>
  ({ message: { id, method } }, response) => {
    const results: { readonly [method: string]: object } = {
      'resources/list': { resources: [{ uri, name: 'a' }] },
      'resources/templates/list': { resourceTemplates: [] },
    };
    const answer = method === 'server/discover' ? { error: { code: -32601, message: 'no' } } : { result: {} };
    const result = results[method];
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? answer : { result }) }));
  };

/** A stateless backend. `listened` gets its streams for this resource, which it has neither opened nor acknowledged. */
function stateless(uri: string, listened: (stream: ServerResponse) => void): RawHandler {
  return (request, response) => {
    const { id, method, params } = request.message;
    if (method === 'server/discover') {
      const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
    } else if (method !== 'subscriptions/listen') return holding(uri)(request, response);
    else if (params.notifications.resourceSubscriptions !== undefined) listened(response);
    else say(response, 'subscriptions/acknowledged', { notifications: params.notifications });
  };
}

function say(stream: ServerResponse, method: string, params: object): void {
  if (!stream.headersSent) openEvents(stream);
  stream.write(eventText(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${method}`, params })));
}

async function listen(url: string, notifications: object): Promise<IncomingMessage> {
  const request = { method: 'subscriptions/listen', params: { notifications } };
  const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const stream = await open(url, 'POST', { ...accept, ...findHeaders(request) }, formatRequest(request));
  onTestFinished(() => void stream.destroy());
  return stream;
}

test('a subscription stream acknowledges only the subscriptions that the backends have answered in time', async () => {
  const told = (stream: ServerResponse, uri: string) => {
    say(stream, 'subscriptions/acknowledged', { notifications: { resourceSubscriptions: [uri] } });
  };
  const streams: { good?: ServerResponse; late?: ServerResponse } = {};
  const givenUp = Promise.withResolvers<void>();
  let initializations = 0;
  const handlers: { readonly [name: string]: RawHandler } = {
    good: stateless('x://good', stream => {
      streams.good = stream;
      told(stream, 'x://good');
    }),
    late: stateless('x://late', stream => {
      streams.late = stream;
    }),
    // Subscriptions fail.
    mute: withHandshake(
      (request, response) => {
        if (request.message.method !== 'resources/subscribe') return holding('x://mute')(request, response);
        response.once('close', givenUp.resolve);
      },
      's-1',
      CAPABILITIES,
    ),
    // It accepts no session after the gateway's own.
    closed: (request, response) => {
      if (request.message?.method === 'initialize' && ++initializations > 1) return;
      return withHandshake(holding('x://closed'), 's-1', CAPABILITIES)(request, response);
    },
  };
  const servers = await Promise.all(Object.values(handlers).map(handler => startRawServer(handler)));
  onTestFinished(() => Promise.all(servers.map(server => server.close())).then(() => {}));
  const names = Object.keys(handlers);
  await using gateway = await startGateway({
    // Longer than this test may take.
    backends: servers.map(({ origin }, n) => backendPlan(names[n] as string, `${origin}/mcp`, { timeoutMs: 60_000 })),
  });
  await gateway.ready();
  const stream = await listen(gateway.url, {
    toolsListChanged: true,
    resourceSubscriptions: names.map(name => `x://${name}`),
  });
  let heard = '';
  stream.setEncoding('utf8').on('data', chunk => {
    heard += chunk;
  });
  await eventually(() => heard.includes('acknowledged'));
  expect(heard).toContain('"notifications":{"toolsListChanged":true,"resourceSubscriptions":["x://good"]}');
  // A cancelled request holds no connection.
  await givenUp.promise;
  const { good, late } = streams;
  if (good === undefined || late === undefined) throw new Error('they were not listened to');
  told(late, 'x://late');
  const updates = () => [...heard.matchAll(/"uri":"(.*?)"/g)].map(([, uri]) => uri);
  for (let round = 1; round <= 5; round++) {
    say(late, 'resources/updated', { uri: 'x://late' });
    say(good, 'resources/updated', { uri: 'x://good' });
    await eventually(() => updates().length >= round);
  }
  expect(updates()).toEqual(Array(5).fill('x://good'));
});

test('the acknowledgement of a subscription stream waits for a backend that accepts the subscriptions one after the other', async () => {
  const uris = Array.from({ length: 24 }, (_, index) => `x://slow/${index}`);
  const queue: (() => void)[] = [];
  const server = await startRawServer(
    withHandshake(
      (request, response) => {
        const { id, method } = request.message;
        if (method === 'resources/list') {
          const resources = uris.map(uri => ({ uri, name: uri }));
          sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: { resources } }));
        } else if (method === 'resources/subscribe') {
          queue.push(() => sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result: {} })));
        } else return holding('x://none')(request, response);
      },
      's-1',
      CAPABILITIES,
    ),
  );
  // Longer than the stream would wait for a backend that does not respond.
  const answering = setInterval(() => queue.shift()?.(), 150);
  onTestFinished(() => {
    clearInterval(answering);
    return server.close();
  });
  await using gateway = await startGateway({
    backends: [backendPlan('slow', `${server.origin}/mcp`, { timeoutMs: 60_000 })],
  });
  await gateway.ready();
  const stream = await listen(gateway.url, { resourceSubscriptions: uris });
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('acknowledged')) break;
  }
  for (const uri of uris) expect(text).toContain(`"${uri}"`);
});
