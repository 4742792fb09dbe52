/** Streamable HTTP with raw servers: lost sessions, and the notification stream. */

import { afterEach, describe, expect, test } from 'vitest';
import { eventText, IDENTITY, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { Edge, eventually, planFor, send } from './harness.ts';
import { answerTo, connect } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

describe('a session that the backend has forgotten', () => {
  /** A server whose sessions can be dropped; with `always404` it never knows any. */
  async function forgetful(options: { always404?: boolean } = {}) {
    let sessions = 0;
    let current = '';
    const server = await edge.server(
      startRawServer(async (request, response) => {
        if (request.method !== 'POST') response.writeHead(405).end();
        else if (request.message?.method === 'initialize') {
          await new Promise(resolve => setTimeout(resolve, 20));
          current = `s-${++sessions}`;
          const answer = JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result: IDENTITY });
          sendJson(response, answer, { 'mcp-session-id': current });
        } else if (request.message?.method?.startsWith('notifications/')) response.writeHead(202).end();
        else if (request.headers['mcp-session-id'] !== current || options.always404 === true) {
          sendJson(
            response,
            '{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}',
            {},
            404,
          );
        } else sendJson(response, answerTo(request, '{}'));
      }),
    );
    const count = (method: string) => server.requests.filter(request => request.message?.method === method).length;
    return { session: edge.sessionful(planFor(server.origin)), count, forget: () => (current = 'none') };
  }

  test('when a backend forgets a session, the gateway opens one new session, sends all requests in it, and no request fails', async () => {
    const { session, count, forget } = await forgetful();
    await session.open();
    forget();
    const sinks = await Promise.all(Array.from({ length: 10 }, () => send(session, 'x')));
    for (const sink of sinks) expect(sink.ended).toBe(true);
    expect(count('initialize')).toBe(2);
    expect(count('x')).toBe(20);
  });

  test('after a backend has forgotten a session, the session reports that the gateway may have missed a notification', async () => {
    const { session, forget } = await forgetful();
    let missed = 0;
    session.listen({ message() {}, missed: () => missed++ });
    await send(session, 'x');
    expect(missed).toBe(0);
    forget();
    await send(session, 'x');
    await eventually(() => missed === 1);
  });

  test('a request fails when the backend forgets its session twice', async () => {
    const { session, count } = await forgetful({ always404: true });
    const sink = await send(session, 'x');
    expect(sink.error).toMatchObject({ reason: 'http_error', httpStatus: 404 });
    expect([count('initialize'), count('x')]).toEqual([2, 2]);
  });

  test('a late 404 for a request of a forgotten session does not make the gateway replace the new session', async () => {
    let sessions = 0;
    let answerLate: (() => void) | undefined;
    const server = await edge.server(
      startRawServer((request, response) => {
        const forget = () => response.writeHead(404).end();
        if (request.message?.method === 'initialize') {
          sendJson(response, answerTo(request, JSON.stringify(IDENTITY)), { 'mcp-session-id': `s-${++sessions}` });
        } else if (request.message?.id === undefined) response.writeHead(202).end();
        else if (request.headers['mcp-session-id'] === 's-2') sendJson(response, answerTo(request, '{}'));
        else if (request.message.method === 'late') answerLate = forget;
        else forget();
      }),
    );
    const session = edge.sessionful(planFor(server.origin));
    const late = send(session, 'late');
    await eventually(() => answerLate !== undefined);
    expect((await send(session, 'x')).ended).toBe(true);
    answerLate?.();
    expect((await late).ended).toBe(true);
    expect(sessions).toBe(2);
  });
});

describe('a replacement session', () => {
  /** A server that drops its session on demand and records the requests of each session. */
  async function connect(version = '2025-11-25') {
    let sessions = 0;
    let current = '';
    let faults = 0;
    const told: string[] = [];
    const server = await edge.server(
      startRawServer((request, response) => {
        const { message, headers, method } = request;
        if (message?.method === 'initialize') {
          current = `s-${++sessions}`;
          const identity = { ...IDENTITY, protocolVersion: version, capabilities: { tools: {}, logging: {} } };
          sendJson(response, answerTo(request, JSON.stringify(identity)), { 'mcp-session-id': current });
        } else if (headers['mcp-session-id'] !== current) response.writeHead(404).end();
        else if (method === 'GET') {
          openEvents(response);
          response.write(eventText('{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}'));
        } else if (message?.method === 'resources/subscribe' && faults > 0) {
          faults--;
          response.writeHead(503).end();
        } else {
          if (message?.params !== undefined)
            told.push(`${current} ${message.method} ${JSON.stringify(message.params)}`);
          if (message?.id === undefined) response.writeHead(202).end();
          else sendJson(response, answerTo(request, '{}'));
        }
      }),
    );
    const session = edge.sessionful(planFor(server.origin));
    const forget = () => {
      current = 'none';
    };
    /** The next subscriptions get no response. */
    const fail = (times: number) => {
      faults = times;
    };
    return { server, session, told, forget, fail, left: () => faults };
  }

  test('the gateway repeats a resource subscription in a replacement session until the backend responds to it', async () => {
    const { session, told, forget, fail, left } = await connect();
    for (const uri of ['a:1', 'a:2']) await send(session, 'resources/subscribe', { uri });
    told.length = 0;
    forget();
    fail(3);
    await send(session, 'x', { n: 1 });
    await eventually(() => told.length === 3);
    expect(told.toSorted()).toEqual([
      's-2 resources/subscribe {"uri":"a:1"}',
      's-2 resources/subscribe {"uri":"a:2"}',
      's-2 x {"n":1}',
    ]);
    expect(left()).toBe(0);
  });

  test('the gateway repeats a resource subscription in a replacement session if the backend never answered it in the previous session', async () => {
    const { session, told, forget, fail, left } = await connect();
    await send(session, 'resources/subscribe', { uri: 'a:1' });
    forget();
    fail(5);
    await send(session, 'x', { n: 1 });
    await eventually(() => left() === 0);
    forget();
    await send(session, 'x', { n: 2 });
    await eventually(() => told.includes('s-3 resources/subscribe {"uri":"a:1"}'));
  });

  test('a replacement session gets the log level and the subscriptions of the previous session', async () => {
    const { session, told, forget } = await connect();
    await send(session, 'logging/setLevel', { level: 'info' });
    await send(session, 'resources/subscribe', { uri: 'a:1' });
    await send(session, 'resources/subscribe', { uri: 'a:2' });
    await send(session, 'resources/unsubscribe', { uri: 'a:1' });
    told.length = 0;
    forget();
    await send(session, 'x', { n: 1 });
    await eventually(() => told.length === 3);
    // The log level is sent first, because it applies to everything after it.
    expect(told[0]).toBe('s-2 logging/setLevel {"level":"info"}');
    expect(told.slice(1).toSorted()).toEqual(['s-2 resources/subscribe {"uri":"a:2"}', 's-2 x {"n":1}']);
  });

  test('the gateway repeats in a replacement session a notification that met the forgotten session, but no response to a question', async () => {
    const { session, told, forget } = await connect();
    await session.open();
    forget();
    await session.post('{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"n":1}}');
    expect(told).toEqual(['s-2 notifications/roots/list_changed {"n":1}']);
    forget();
    await session.post('{"jsonrpc":"2.0","id":1,"result":{}}');
    await send(session, 'x', { n: 2 });
    expect(told.slice(1)).toEqual(['s-3 x {"n":2}']);
  });

  test('the gateway opens a replacement session as soon as the backend answers the GET stream with 404', async () => {
    const { server, session, forget } = await connect();
    let missed = 0;
    let messages = 0;
    session.listen({ message: () => messages++, missed: () => missed++ });
    await eventually(() => messages > 0);
    forget();
    server.dropConnections();
    await eventually(() => missed > 0);
    await eventually(() => server.requests.filter(({ message }) => message?.method === 'initialize').length === 2);
  });

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', undefined],
    ['2024-11-05', undefined],
  ])('requests of a session with revision %s have the header MCP-Protocol-Version %s', async (version, header) => {
    const { server, session } = await connect(version);
    expect((await session.open()).protocolVersion).toBe(version);
    await send(session, 'x');
    const [initialize, ...rest] = server.requests;
    expect(initialize?.message.params.protocolVersion).toBe('2025-11-25');
    expect(rest.map(({ headers }) => headers['mcp-protocol-version'])).toEqual(rest.map(() => header));
  });
});

describe('the GET stream', () => {
  test('the gateway resumes the GET stream of a session after the last event, with the delay that the backend requests with retry', async () => {
    let streams = 0;
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.method !== 'GET') return withHandshake(() => {}, 's-1')(request, response);
        openEvents(response);
        response.end(
          `retry: 120\nid: event-${++streams}\ndata: {"jsonrpc":"2.0","method":"notifications/n","params":{"n":${streams}}}\n\n`,
        );
      }),
    );
    const session = edge.sessionful(planFor(server.origin));
    const heard: string[] = [];
    session.listen({ message: ({ text }) => heard.push(text) });
    await eventually(() => heard.length === 3);
    expect(heard.map(json => JSON.parse(json).params.n)).toEqual([1, 2, 3]);
    const gets = server.requests.filter(request => request.method === 'GET');
    expect(gets.map(request => request.headers['last-event-id'])).toEqual([undefined, 'event-1', 'event-2']);
    expect(gets[0]?.headers).toMatchObject({ accept: 'text/event-stream', 'mcp-session-id': 's-1' });
  });

  test('the gateway opens the GET stream of a session again after any answer of the backend but 405', async () => {
    for (const [status, isRepeated] of [
      [405, false],
      [404, true],
      [500, true],
      [200, true],
    ] as const) {
      const server = await edge.server(
        startRawServer((request, response) => {
          if (request.method === 'GET') response.writeHead(status).end();
          else return withHandshake((q, r) => sendJson(r, answerTo(q, '{}')), 's-1')(request, response);
        }),
      );
      const session = edge.sessionful(planFor(server.origin));
      session.listen({ message() {} });
      await session.open();
      const gets = () => server.requests.filter(request => request.method === 'GET').length;
      if (isRepeated) await eventually(() => gets() > 1);
      else {
        await new Promise(resolve => setTimeout(resolve, 150));
        expect(gets(), `${status}`).toBe(1);
      }
      expect((await send(session, 'x')).ended).toBe(true);
    }
  });

  test('the gateway answers requests that a backend sends on the GET stream', async () => {
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.method !== 'GET')
          return withHandshake((_q, r) => void r.writeHead(202).end(), 's-1')(request, response);
        openEvents(response);
        response.write(eventText('{"jsonrpc":"2.0","id":"p","method":"ping"}'));
        response.write(eventText('{"jsonrpc":"2.0","id":8,"method":"sampling/createMessage","params":{}}'));
      }),
    );
    edge.sessionful(planFor(server.origin)).listen({ message() {} });
    const pong = await server.waitFor(request => request.message?.id === 'p');
    expect(pong.message).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    const refusal = await server.waitFor(request => request.message?.id === 8);
    expect(refusal.message).toEqual({ jsonrpc: '2.0', id: 8, error: { code: -32601, message: 'Method not found' } });
  });

  test('the GET streams of sessions do not count toward the limit of connections to a backend', async () => {
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.method === 'GET') openEvents(response);
        else return withHandshake((q, r) => sendJson(r, answerTo(q, '{}')), 's-1')(request, response);
      }),
    );
    const client = edge.client({ connections: 2 });
    const sessions = Array.from({ length: 6 }, () => edge.sessionful(planFor(server.origin), client));
    for (const session of sessions) session.listen({ message() {} });
    await eventually(() => server.requests.filter(request => request.method === 'GET').length === 6);
    for (const session of sessions) expect((await send(session, 'x')).ended).toBe(true);
  });

  test('after a backend has forgotten a session, the gateway opens the GET stream in the replacement session', async () => {
    let sessions = 0;
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.method === 'GET') {
          openEvents(response);
          response.write(`id: 1\n${eventText('{"jsonrpc":"2.0","method":"notifications/n"}')}`);
        } else if (request.message?.method === 'initialize') {
          sendJson(response, answerTo(request, JSON.stringify(IDENTITY)), { 'mcp-session-id': `s-${++sessions}` });
        } else if (request.message?.id === undefined) response.writeHead(202).end();
        else if (request.headers['mcp-session-id'] === 's-1') response.writeHead(404).end();
        else sendJson(response, answerTo(request, '{}'));
      }),
    );
    const session = edge.sessionful(planFor(server.origin));
    let heard = 0;
    session.listen({ message: () => heard++ });
    await eventually(() => heard === 1);
    await send(session, 'x');
    await eventually(() => heard === 2);
    const gets = server.requests.filter(request => request.method === 'GET');
    expect(gets.map(request => request.headers['mcp-session-id'])).toEqual(['s-1', 's-2']);
    expect(gets[1]?.headers).not.toHaveProperty('last-event-id');
  });

  test.each([
    ['opens again', 200],
    ['is answered with 404', 404],
  ])(
    'the session reports once that the gateway may have missed a notification when the GET stream was lost and %s',
    async (_, again) => {
      let streams = 0;
      const server = await edge.server(
        startRawServer((request, response) => {
          if (request.method !== 'GET') return withHandshake(() => {}, 's-1')(request, response);
          if (++streams > 1 && again === 404) return void response.writeHead(404).end();
          openEvents(response);
          if (streams === 1) response.end();
        }),
      );
      const session = edge.sessionful(planFor(server.origin));
      let missed = 0;
      session.listen({ message() {}, missed: () => missed++ });
      await eventually(() => missed === 1);
      await new Promise(resolve => setTimeout(resolve, 150));
      expect(missed).toBe(1);
    },
  );
});

test('the gateway sends DELETE for a session that its client closes while the session is still being opened', async () => {
  const server = await edge.server(
    startRawServer((request, response) => {
      // The session exists, and `initialized` never gets a response.
      if (request.message?.method !== 'notifications/initialized') {
        return withHandshake(() => {}, 's-1')(request, response);
      }
    }),
  );
  const session = edge.sessionful(planFor(server.origin));
  const opening = session.open().catch(() => {});
  await server.waitFor(({ message }) => message?.method === 'notifications/initialized');
  await session.close();
  await opening;
  const { headers } = await server.waitFor(({ method }) => method === 'DELETE');
  expect(headers['mcp-session-id']).toBe('s-1');
});

test('a backend that sends questions faster than it reads the answers does not make the memory of the gateway grow without limit', async () => {
  const held: (() => void)[] = [];
  let isHolding = true;
  const { server, session } = await connect(edge, (request, response) => {
    if (request.message.method === undefined) {
      const take = () => void response.writeHead(202).end();
      if (isHolding) held.push(take);
      else take();
      return;
    }
    openEvents(response);
    const question = (id: number) => eventText(`{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage"}`);
    response.write(Array.from({ length: 1_000 }, (_, id) => question(id)).join(''));
    response.end(eventText(answerTo(request, '{}')));
  });
  expect((await send(session, 'x')).ended).toBe(true);
  await eventually(() => held.length === 64);
  isHolding = false;
  for (const take of held) take();
  const answers = () => server.requests.filter(({ message }) => message?.error !== undefined).length;
  await eventually(() => answers() === 256);
  await session.post('{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}');
  expect(answers()).toBe(256);
});
