/** Backends report a lost session in several ways; an ordinary refusal of one request is none of them. */
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import {
  IDENTITY,
  openEvents,
  type RawHandler,
  type RawRequest,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';
import { ask } from '../stateless-edge/requests.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

const unread = (message: string): RawHandler => {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null });
  return (_request, response) => sendJson(response, body, {}, 400);
};

const REFUSALS: readonly [name: string, refuse: RawHandler][] = [
  ['404', (_request, response) => void response.writeHead(404).end()],
  [
    '404 with the id of the request',
    ({ message }, response) => {
      sendJson(
        response,
        JSON.stringify({
          jsonrpc: '2.0',
          id: message?.id ?? null,
          error: { code: -32001, message: 'Session not found' },
        }),
        {},
        404,
      );
    },
  ],
  ['400, as servers of the official SDK', unread('Bad Request: No valid session ID provided')],
  ['400, as a transport of the official SDK', unread('Bad Request: Server not initialized')],
  [
    '400 in plain text',
    (_request, response) =>
      void response.writeHead(400, { 'content-type': 'text/plain' }).end('Invalid or missing session ID'),
  ],
  ['400 without a body', (_request, response) => void response.writeHead(400).end()],
];

/**
 * A backend that drops all sessions at `forget`, and then refuses them with `refuse`. `call` answers tools/call. Without ids it has no sessions
 * before `forget`.
 */
async function serve(refuse: RawHandler, call?: RawHandler, hasIds = true) {
  let isForgetful = false;
  let isSessionless = !hasIds;
  const sessions = new Set<string>();
  let opened = 0;
  const answered: string[] = [];
  const server = await startRawServer((request, response) => {
    const { method: verb, message, headers } = request;
    const session = headers['mcp-session-id'] as string | undefined;
    const answer = (result: object, more = {}) =>
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, result }), more);
    if (message?.method === 'server/discover') return unread('Bad Request')(request, response);
    if (message?.method === 'initialize' && isSessionless) return answer(IDENTITY);
    if (message?.method === 'initialize') {
      const id = `s-${++opened}`;
      if (!isForgetful) sessions.add(id);
      return answer(IDENTITY, { 'mcp-session-id': id });
    }
    if (verb === 'DELETE') return void response.writeHead(204).end();
    if (!isSessionless && !sessions.has(session ?? '')) return refuse(request, response);
    if (verb === 'GET') return openEvents(response);
    if (message.id === undefined) return void response.writeHead(202).end();
    answered.push(message.method);
    if (message.method === 'tools/list') return answer({ tools: [{ name: 'tool', inputSchema: { type: 'object' } }] });
    if (message.method !== 'tools/call' || call === undefined) return answer({ content: [], session });
    return call(request, response);
  });
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  open.push(server, { close: () => gateway.stop() });
  await gateway.ready();
  const count = (fits: (request: RawRequest) => boolean) => server.requests.filter(fits).length;
  return {
    gateway,
    server,
    opened: () => opened,
    pings: () => count(({ message }) => message?.method === 'ping'),
    calls: () => count(({ message }) => message?.method === 'tools/call'),
    forget: () => {
      isSessionless = false;
      sessions.clear();
    },
    forgetAlways: () => {
      isForgetful = true;
      sessions.clear();
    },
  };
}

const CALL = { name: 'a_tool', arguments: {} };

async function client(url: string): Promise<RawClient> {
  const raw = new RawClient(url);
  await raw.open();
  return raw;
}

describe.each(REFUSALS)('a backend that answers for a forgotten session with %s', (_, refuse) => {
  test('for all calls in a session that the backend has forgotten, the gateway opens one new session', async () => {
    const { gateway, opened, forget } = await serve(refuse);
    const raw = await client(gateway.url);
    await raw.result('tools/call', CALL);
    const before = opened();
    forget();
    const results = await Promise.all(Array.from({ length: 30 }, () => raw.result('tools/call', CALL)));
    expect(new Set(results.map(({ session }) => session))).toEqual(new Set([`s-${before + 1}`]));
    expect(opened()).toBe(before + 1);
    await raw.result('tools/call', CALL);
    expect(opened()).toBe(before + 1);
  });

  test('a stateless client does not notice that a backend has forgotten its session', async () => {
    const { gateway, forget } = await serve(refuse);
    const call = async () => (await ask(gateway.url, { method: 'tools/call', params: CALL })).text;
    expect(await call()).toContain('"result"');
    forget();
    expect(await call()).toContain('"result"');
  });

  test('the gateway sends a notification again in the new session when the backend has forgotten the session', async () => {
    const { gateway, server, forget } = await serve(refuse);
    const raw = await client(gateway.url);
    const { session } = await raw.result('tools/call', CALL);
    forget();
    await raw.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
    const sessions = () =>
      server.requests
        .filter(({ message }) => message?.method === 'notifications/roots/list_changed')
        .map(({ headers }) => headers['mcp-session-id']);
    await eventually(() => sessions().length === 2);
    expect(sessions()).toEqual([session, (await raw.result('tools/call', CALL)).session]);
  });

  test('the gateway opens a GET stream in the new session when the backend has forgotten the session of the former stream', async () => {
    const { gateway, server, forget, opened } = await serve(refuse);
    const raw = await client(gateway.url);
    const headers = { accept: 'text/event-stream', 'mcp-session-id': raw.sessionId ?? '' };
    const listening = await fetch(gateway.url, { headers });
    await raw.result('tools/call', CALL);
    const own = `s-${opened()}`;
    await eventually(() =>
      server.requests.some(({ method, headers: sent }) => method === 'GET' && sent['mcp-session-id'] === own),
    );
    forget();
    server.dropConnections();
    const isLater = (id: unknown) => Number(String(id).slice(2)) > Number(own.slice(2));
    const streams = () =>
      server.requests.filter(({ method }) => method === 'GET').map(({ headers: sent }) => sent['mcp-session-id']);
    // The client's, and the gateway's own.
    await eventually(() => new Set(streams().filter(isLater)).size === 2);
    await listening.body?.cancel();
  });

  test('a call fails when its backend forgets each new session at once', async () => {
    const { gateway, opened, calls, forgetAlways } = await serve(refuse);
    const raw = await client(gateway.url);
    await raw.result('tools/call', CALL);
    const before = [opened(), calls()] as const;
    forgetAlways();
    const { text } = await raw.request('tools/call', CALL);
    expect(JSON.parse(text).error).toBeDefined();
    expect(opened() - before[0]).toBeLessThanOrEqual(2);
    expect(calls() - before[1]).toBeLessThanOrEqual(2);
  });
});

describe('a 400 that does not mean a forgotten session', () => {
  const honest: RawHandler = ({ message }, response) => {
    sendJson(
      response,
      JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'no such thing' } }),
      {},
      400,
    );
  };

  test('when a backend answers 400 with the id of the request, the client gets this answer', async () => {
    const { gateway, opened, pings, calls } = await serve(unread('gone'), honest);
    const raw = await client(gateway.url);
    const { text } = await raw.request('tools/call', CALL);
    expect(JSON.parse(text).error).toMatchObject({ code: -32602, message: 'no such thing' });
    expect([calls(), pings()]).toEqual([1, 0]);
    const before = opened();
    await raw.request('tools/call', CALL);
    expect(opened()).toBe(before);
  });

  test('after a backend answers 400 without the id of the request, the gateway sends it a ping, and keeps the session', async () => {
    const { gateway, opened, pings, calls } = await serve(unread('gone'), unread('the message is not welcome'));
    const raw = await client(gateway.url);
    const fail = async () => JSON.parse((await raw.request('tools/call', CALL)).text).error;
    expect(await fail()).toMatchObject({ code: -32000, message: 'the message is not welcome' });
    const before = opened();
    expect([calls(), pings()]).toEqual([1, 1]);
    expect(await fail()).toMatchObject({ code: -32000 });
    expect(opened()).toBe(before);
    expect([calls(), pings()]).toEqual([2, 2]);
  });

  test.each([
    ['in plain text', 'text/plain', 'charged, but the receipt could not be sent'],
    ['without a body', 'text/plain', ''],
    ['as JSON', 'application/json', '{"detail":"charged, but the receipt could not be sent"}'],
  ])(
    'the gateway sends a call only once to a backend without session ids that answers it with 400 %s',
    async (_, type, body) => {
      const charge: RawHandler = (_request, response) =>
        void response.writeHead(400, { 'content-type': type }).end(body);
      const { gateway, pings, calls } = await serve(unread('gone'), charge, false);
      const raw = await client(gateway.url);
      const { text } = await raw.request('tools/call', CALL);
      expect(JSON.parse(text).error).toMatchObject({ code: -32603, data: { reason: 'http_error' } });
      expect([calls(), pings()]).toEqual([1, 1]);
    },
  );
});

test('when a backend begins to require session ids, the gateway sends it the refused call again, in a session', async () => {
  for (const [, refuse] of REFUSALS.slice(2)) {
    const { gateway, calls, opened, forget } = await serve(refuse, undefined, false);
    const raw = await client(gateway.url);
    expect((await raw.result('tools/call', CALL)).session).toBeUndefined();
    forget();
    expect((await raw.result('tools/call', CALL)).session).toBe(`s-${opened()}`);
    expect(calls()).toBe(3);
  }
});
