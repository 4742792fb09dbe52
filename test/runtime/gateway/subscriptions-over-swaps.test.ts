/** A deployment changes bundle and backend at once: resource subscriptions outlast the time in which their backend is unavailable. */

import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { resubscribe } from '../../../runtime/gateway/backends/resubscribe.ts';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, type RawRequest, sendJson, startRawServer } from '../../support/raw-server.ts';
import { open as openStream } from '../client-edge/fake-gateway.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';

const URI = 'x://a';
const UPDATED = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"${URI}"}}`;
const CAPABILITIES = { resources: { subscribe: true } };
const SERVER = { name: 'x', version: '1' };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

type Wire = 'streamable-http' | 'sse' | 'stateless';
/** Which requests the backend does not answer: none, all, or only subscription requests. */
type Absence = 'none' | 'all' | 'subscribe';

/** A backend with one resource, which answers HTTP 503 while it is `away`. */
async function startBackend(wire: Wire) {
  const streams = new Map<string, ServerResponse>();
  const subscribed = new Set<string>();
  const state = { away: 'none' as Absence, refused: 0 };
  let made = 0;
  const server = await startRawServer((request, response) => {
    const { method, message } = request;
    const isSubscription = ['resources/subscribe', 'subscriptions/listen'].includes(message?.method);
    if (state.away === 'all' || (state.away === 'subscribe' && isSubscription)) {
      state.refused++;
      response.writeHead(503).end();
    } else if (method === 'GET') {
      const key = wire === 'sse' ? `/messages?stream=${++made}` : String(request.headers['mcp-session-id']);
      streams.set(key, response);
      openEvents(response);
      if (wire === 'sse') response.write(eventText(key, 'endpoint'));
    } else if (method === 'DELETE') response.writeHead(204).end();
    else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else answer(request, response);
  });
  const answer = ({ message, headers, path }: RawRequest, response: ServerResponse) => {
    const { id, method, params } = message;
    const send = (outcome: object, more?: Record<string, string>) => {
      const json = JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
      if (wire !== 'sse') return sendJson(response, json, more);
      response.writeHead(202).end();
      streams.get(path)?.write(eventText(json));
    };
    const result = (value: object, more?: Record<string, string>) =>
      send({ result: wire === 'stateless' ? { resultType: 'complete', ...value } : value }, more);
    switch (method) {
      case 'server/discover':
        if (wire !== 'stateless') return send({ error: { code: -32601, message: 'no' } });
        return result({ supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, serverInfo: SERVER });
      case 'initialize': {
        if (wire === 'stateless') return send({ error: { code: -32601, message: 'no' } });
        const identity = { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: SERVER };
        return result(identity, { 'mcp-session-id': `s-${++made}` });
      }
      case 'subscriptions/listen': {
        const { notifications } = params;
        openEvents(response);
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
        const json = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' };
        response.write(eventText(JSON.stringify({ ...json, params: { _meta, notifications } })));
        streams.set(id, response);
        if (notifications.resourceSubscriptions?.includes(URI)) subscribed.add(id);
        return;
      }
      case 'resources/subscribe':
        subscribed.add(wire === 'sse' ? path : String(headers['mcp-session-id']));
        return result({});
      case 'resources/list':
        return result({ resources: [{ uri: URI, name: 'a' }] });
      case 'resources/templates/list':
        return result({ resourceTemplates: [] });
      default:
        return result({});
    }
  };
  open.push(server);
  return {
    plan: (timeoutMs: number) =>
      backendPlan('a', `${server.origin}/mcp`, { timeoutMs, ...(wire === 'sse' ? { transport: 'sse' as const } : {}) }),
    state,
    update: () => {
      for (const key of subscribed) streams.get(key)?.write(eventText(UPDATED));
    },
    /** Ends all streams of `subscriptions/listen` with an error. */
    shutDown: () => {
      const error = { code: -32603, message: 'shutting down' };
      for (const [id, stream] of streams) stream.end(eventText(JSON.stringify({ jsonrpc: '2.0', id, error })));
      streams.clear();
      subscribed.clear();
    },
  };
}

/** Opens a stream and counts the updates on it. */
async function listen(url: string, method: string, headers: Record<string, string | undefined>, body?: string) {
  const stream = await openStream(url, method, headers, body);
  open.push({ close: () => stream.destroy() });
  let text = '';
  stream.setEncoding('utf8').on('data', chunk => {
    text += chunk;
  });
  return { updates: () => text.split('notifications/resources/updated').length - 1 };
}

async function serve(wire: Wire) {
  const backend = await startBackend(wire);
  const gateway = await startGateway({ backends: [backend.plan(3_000)] });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  const raw = new RawClient(gateway.url);
  await raw.open();
  const ofSession = await listen(gateway.url, 'GET', {
    accept: 'text/event-stream',
    'mcp-session-id': raw.sessionId,
  });
  await raw.result('resources/subscribe', { uri: URI });
  const request = { method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [URI] } } };
  const accept = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const stateless = await listen(gateway.url, 'POST', { ...accept, ...findHeaders(request) }, formatRequest(request));
  const all = [ofSession, stateless];
  /** Resolves when every client has received one more. */
  const allHear = async () => {
    const before = all.map(({ updates }) => updates());
    await eventually(() => {
      backend.update();
      return all.every(({ updates }, n) => updates() > (before[n] ?? 0));
    });
  };
  await allHear();
  const swap = async (timeoutMs: number) => {
    const { digest } = (await gateway.status()).bundle;
    await gateway.replace({ backends: [backend.plan(timeoutMs)] });
    await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  };
  return { backend, state: backend.state, allHear, swap };
}

describe.each(['streamable-http', 'sse', 'stateless'] as const)('a backend over %s', wire => {
  test.each(['all', 'subscribe'] as const)(
    'a backend that did not answer requests (%s) while a new bundle was loaded gets the subscription when it answers again',
    async absence => {
      const { state, allHear, swap } = await serve(wire);
      state.away = absence;
      await swap(3_100);
      await eventually(() => state.refused >= 2);
      state.away = 'none';
      await allHear();
    },
  );

  test('a backend that was unavailable during two new bundles gets the subscription when it answers again', async () => {
    const { state, allHear, swap } = await serve(wire);
    state.away = 'all';
    await swap(3_100);
    await swap(3_200);
    state.away = 'none';
    await allHear();
  });
});

test('a stateless backend that ends its streams with an error gets the subscriptions again', async () => {
  const { backend, allHear } = await serve('stateless');
  for (let round = 0; round < 2; round++) {
    backend.shutDown();
    await allHear();
  }
});

describe('a subscription that has to move to a new connection', () => {
  const away = new BackendError('a', 'http_error', 'answered HTTP 503');
  const refusal = '{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"no"}}';

  /** Subscribes while the backend has a sequence of outcomes; returns how often it was asked, and the result. */
  async function attempt(outcomes: readonly ('answer' | 'refuse' | 'away')[], isWanted = () => true) {
    let asked = 0;
    const looks: number[] = [];
    const waits: number[] = [];
    const outcome = await resubscribe(
      {
        session: {
          request: (_request, sink) => {
            const what = outcomes[asked++] ?? outcomes.at(-1);
            if (what === 'away') return sink.fail(away);
            const body = Buffer.from(what === 'refuse' ? refusal : '{"jsonrpc":"2.0","id":0,"result":{}}');
            sink.start(body.length);
            sink.data(body);
            sink.end();
          },
        },
        monitor: {
          probeSoon: () => void looks.push(asked),
          well: async () => void waits.push(asked),
        },
      },
      URI,
      isWanted,
    ).then(
      () => 'done',
      (error: Error) => error.message,
    );
    return { asked, looks, waits, outcome };
  }

  test('a subscription that moves to a new connection is requested once if the backend answers', async () => {
    expect(await attempt(['answer'])).toEqual({ asked: 1, looks: [], waits: [], outcome: 'done' });
    expect(await attempt(['refuse'])).toMatchObject({ asked: 1, looks: [], waits: [] });
  });

  test('until the backend answers, the gateway repeats a subscription that moves to a new connection, and probes the backend once', async () => {
    const attempts = await attempt(['away', 'away', 'answer']);
    expect(attempts).toEqual({ asked: 3, looks: [1], waits: [1, 2], outcome: 'done' });
    expect((await attempt(['away', 'refuse'])).asked).toBe(2);
  });

  test('the gateway gives up a subscription that moves to a new connection when a healthy backend never accepts it', async () => {
    const { asked, looks, outcome } = await attempt(['away']);
    expect({ asked, looks, outcome }).toEqual({ asked: 10, looks: [1], outcome: away.message });
  });

  test('the gateway does not repeat a subscription that moves to a new connection when the client no longer wants it', async () => {
    let asked = 0;
    expect(await attempt(['away'], () => ++asked < 4)).toMatchObject({ asked: 2, outcome: 'done' });
  });
});
