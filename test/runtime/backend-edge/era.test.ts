/** How a backend's era is probed, cached, and probed again. */
import { afterEach, describe, expect, test } from 'vitest';
import { BackendEra, type EraName } from '../../../runtime/gateway/backends/era/era.ts';
import { InSessionsError } from '../../../runtime/gateway/backends/failure.ts';
import { connectionsToGone } from '../../support/client-connections.ts';
import {
  eventText,
  openEvents,
  type RawHandler,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { Edge, eventually, planFor, type RecordingSink, send } from './harness.ts';
import { createRawConnector, error, result, status } from './raw-era-peer.ts';
import { answerTo } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const connectRaw = createRawConnector(edge);

describe('the answer to server/discover', () => {
  const CASES: readonly [name: string, discover: RawHandler, era: EraName][] = [
    ['a result', result({ supportedVersions: ['2026-07-28', '2025-11-25'], capabilities: {} }), 'stateless'],
    [
      'a result as an event',
      (request, response) => {
        openEvents(response);
        response.end(eventText(answerTo(request, '{"supportedVersions":["2026-07-28"]}')));
      },
      'stateless',
    ],
    ['a result with other revisions', result({ supportedVersions: ['2025-06-18', '2027-01-01'] }), 'session'],
    ['a result of another method', result({ tools: [] }), 'session'],
    ['the error header mismatch', error(-32020), 'stateless'],
    ['the error missing capability', error(-32021, { requiredCapabilities: {} }), 'stateless'],
    [
      'the error unsupported revision (sessions)',
      error(-32022, { supported: ['2025-11-25'], requested: 'x' }),
      'session',
    ],
    ['the error unsupported revision (stateless)', error(-32022, { supported: ['2026-07-28'] }), 'stateless'],
    ['the error unsupported revision (none)', error(-32022), 'session'],
    ['the error unknown method', error(-32601), 'session'],
    ['an error about a missing session', error(-32000, undefined, null), 'session'],
    ['400 without a body', status(400), 'session'],
    ['404', status(404, 'Cannot POST'), 'session'],
    ['405', status(405), 'session'],
    ['403', status(403), 'session'],
    ['415', status(415), 'session'],
    ['500', status(500, '<html>'), 'session'],
    ['202', status(202), 'session'],
    ['neither JSON nor events', status(200, '<html>'), 'session'],
    [
      'an empty event stream',
      (_request, response) => {
        openEvents(response);
        response.end();
      },
      'session',
    ],
    ['silence', () => {}, 'session'],
  ];

  test.each(CASES)(
    'the answer to server/discover shows whether a backend is stateless: %s',
    async (_name, discover, expected) => {
      const { era, open, count } = await connectRaw(discover, undefined, 300);
      const session = open();
      await send(session, 'x');
      expect(era.known).toBe(expected);
      // A stateless backend is asked whether it opens sessions too.
      expect(count('initialize')).toBe(1);
      await Promise.all([send(open(), 'x'), send(open(), 'x'), send(session, 'x')]);
      expect(count('server/discover')).toBe(1);
    },
  );

  test('the gateway sends server/discover once when sessions open at the same time', async () => {
    const { open, count } = await connectRaw(status(404));
    const sinks = await Promise.all(Array.from({ length: 10 }, () => send(open(), 'x')));
    expect(sinks.every(sink => sink.ended)).toBe(true);
    expect([count('server/discover'), count('initialize')]).toEqual([1, 10]);
  });

  test('the gateway reports which MCP revisions a backend supports when it supports none that the gateway knows', async () => {
    const { open } = await connectRaw(result({ supportedVersions: ['2030-01-01'] }));
    await expect(open().open()).rejects.toMatchObject({
      reason: 'protocol_error',
      message: 'backend "peer": speaks other revisions of MCP: "2030-01-01"',
    });
  });

  test('a backend that answers 401 to server/discover does not count as a backend with sessions', async () => {
    const { era, open, count } = await connectRaw(status(401));
    expect((await send(open(), 'x')).error?.reason).toBe('unauthenticated');
    expect([era.known, count('initialize')]).toEqual([undefined, 0]);
  });

  test('a session that is closed while server/discover has no answer fails its requests as aborted', async () => {
    const { server, open } = await connectRaw(() => {});
    const session = open();
    const sink = send(session, 'x');
    await server.waitFor(({ message }) => message?.method === 'server/discover');
    await session.close();
    expect((await sink).error?.reason).toBe('aborted');
  });
});

describe('an HTTP+SSE backend', () => {
  test.each([400, 404, 405])(
    'the gateway recognizes an HTTP+SSE backend by the status %i to a POST and an endpoint event on a GET',
    async code => {
      const { era, open } = await connectRaw(status(code), (_request, response) => {
        openEvents(response);
        response.write('event: endpoint\ndata: /messages?s=1\n\n');
      });
      void send(open(), 'x');
      await eventually(() => era.known === 'sse');
    },
  );

  test('the gateway does not try the HTTP+SSE transport when the backend answers a POST with a JSON-RPC error', async () => {
    const { server, open } = await connectRaw(error(-32000, undefined, null));
    await send(open(), 'x');
    expect(server.requests.map(({ method }) => method)).not.toContain('GET');
  });

  test('the gateway sends no server/discover to a backend that is configured with transport sse', async () => {
    const server = await edge.server(startRawServer(status(404)));
    const session = edge.session(planFor(`${server.origin}/sse`, 'sse'));
    await send(session, 'x');
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('a backend that changes its era', () => {
  type Start = (port?: number) => Promise<SdkServer>;
  const at = (port?: number) => (port === undefined ? {} : { port });
  const STARTS: Readonly<Record<string, Start>> = {
    sessions: port => startSdkServer({ transport: 'streamable-http', ...at(port) }),
    'no session ids': port => startSdkServer({ transport: 'streamable-http', isSessionless: true, ...at(port) }),
    stateless: port => startStatelessServer(at(port)),
  };
  const CHANGES = Object.keys(STARTS)
    .flatMap(a => Object.keys(STARTS).map(b => [a, b] as const))
    .filter(([a, b]) => a !== b);

  test.each(CHANGES)(
    'no call fails when the server behind a backend address changes from %s to %s',
    async (before, after) => {
      const first = await STARTS[before]?.();
      if (first === undefined) throw new Error('no such server');
      const era = new BackendEra({ freshMs: 0 });
      const session = edge.session(planFor(first.url), edge.client(), { era });
      let missed = 0;
      session.listen({ message() {}, missed: () => missed++ });
      expect((await send(session, 'tools/call', { name: 'echo' })).ended).toBe(true);
      await send(session, 'logging/setLevel', { level: 'error' });
      const noticed = connectionsToGone(first.port);
      await first.close();
      const second = await STARTS[after]?.(first.port);
      if (second === undefined) throw new Error('no such server');
      await edge.server(Promise.resolve(second));
      await noticed;
      const sinks = await Promise.all(Array.from({ length: 5 }, () => send(session, 'tools/call', { name: 'echo' })));
      for (const sink of sinks) expect([sink.error, sink.text.includes('"text":"{}"')]).toEqual([undefined, true]);
      expect(era.known).toBe(after === 'stateless' ? 'stateless' : 'session');
      await eventually(() => missed > 0);
    },
  );

  test('when a stateless backend changes to sessions, the gateway repeats the log level and the subscriptions in a session', async () => {
    const first = await startStatelessServer();
    const era = new BackendEra({ freshMs: 0 });
    const session = edge.session(planFor(first.url), edge.client(), { era });
    await send(session, 'logging/setLevel', { level: 'error' });
    await send(session, 'resources/subscribe', { uri: 'memo://one' });
    const noticed = connectionsToGone(first.port);
    await first.close();
    const { port } = first;
    const asked: string[] = [];
    const server = await edge.server(
      startRawServer((request, response) => {
        const { message } = request;
        if (
          message?.method === 'server/discover' ||
          (message?.method === 'x' && request.headers['mcp-session-id'] === undefined)
        ) {
          return status(400)(request, response);
        }
        if (message?.params?.level !== undefined || message?.params?.uri !== undefined)
          asked.push(JSON.stringify(message.params));
        const capabilities = { tools: {}, logging: {} };
        return withHandshake((q, r) => sendJson(r, answerTo(q, '{}')), 's-1', capabilities)(request, response);
      }, port),
    );
    await noticed;
    expect((await send(session, 'x')).ended).toBe(true);
    await eventually(() => asked.length === 2);
    expect(asked).toEqual(['{"level":"error"}', '{"uri":"memo://one"}']);
    expect(server.requests.filter(({ message }) => message?.method === 'initialize')).toHaveLength(1);
  });

  test('the gateway does not send the request of a stateless client in a session after its stateless backend has changed to sessions', async () => {
    const first = await startStatelessServer();
    const era = new BackendEra();
    const session = edge.session(planFor(first.url), edge.client(), { era });
    await session.open();
    const noticed = connectionsToGone(first.port);
    await first.close();
    const second = await edge.server(startSdkServer({ transport: 'streamable-http', port: first.port }));
    await noticed;
    const calls = Array.from({ length: 3 }, () => send(session, 'tools/call', { name: 'echo' }, { isStateless: true }));
    for (const sink of await Promise.all(calls)) expect(sink.error).toBeInstanceOf(InSessionsError);
    expect(era.known).toBe('session');
    expect((await send(session, 'tools/call', { name: 'echo' })).ended).toBe(true);
    expect(second.initializations).toBe(1);
  });

  const NOTHING: [string, RawHandler][] = [
    ['silence', () => {}],
    ['503', status(503)],
    ['429', status(429)],
  ];

  test.each(NOTHING)(
    'a stateless backend still counts as stateless after %s to a second server/discover, and the gateway sends no call twice',
    async (_, later) => {
      let isBusy = false;
      const server = await edge.server(
        startRawServer((request, response) => {
          const { method } = request.message;
          if (method !== 'server/discover') return status(400, 'charged, but no receipt')(request, response);
          return isBusy ? later(request, response) : result({ supportedVersions: ['2026-07-28'] })(request, response);
        }),
      );
      const session = edge.session(planFor(server.origin, 'streamable-http', 300));
      await session.open();
      isBusy = true;
      for (const isStateless of [true, false]) {
        const sink = await send(session, 'tools/call', { name: 'x' }, { isStateless });
        expect(sink.error).toMatchObject({ reason: 'http_error', httpStatus: 400 });
      }
      const sent = server.requests.map(({ message }) => message.method);
      expect(sent.filter(method => method !== 'server/discover')).toEqual(['initialize', 'tools/call', 'tools/call']);
    },
  );

  /** A backend that is known as stateless; from then on it answers `server/discover` with `later` and other requests with `rest`. */
  async function doubted(later: RawHandler, rest: RawHandler) {
    let isBusy = false;
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.message?.method !== 'server/discover') return rest(request, response);
        return isBusy ? later(request, response) : result({ supportedVersions: ['2026-07-28'] })(request, response);
      }),
    );
    const era = new BackendEra();
    const session = edge.session(planFor(server.origin, 'streamable-http', 300), edge.client(), { era });
    await session.open();
    isBusy = true;
    let changes = 0;
    era.listeners.add(() => changes++);
    return {
      /** A probe fails, then a request is sent; returns its sink. */
      failProbe: () => {
        era.forget();
        return send(session, 'tools/call', { name: 'x' });
      },
      eras: () => [era.known, era.latest, changes],
      receive: async () => {
        isBusy = false;
        era.forget();
        await session.open();
        isBusy = true;
      },
      era,
      count: (method: string) => server.requests.filter(({ message }) => message?.method === method).length,
    };
  }

  const DUAL = withHandshake((request, response) => {
    const era = request.headers['mcp-session-id'] === undefined ? 'stateless' : 'session';
    sendJson(response, answerTo(request, JSON.stringify({ era })));
  }, 's-1');

  test.each(NOTHING)(
    'a stateless backend still counts as stateless after two server/discover requests in a row that got %s',
    async (_, later) => {
      const { failProbe, eras, receive, era, count } = await doubted(later, DUAL);
      for (let round = 0; round < 3; round++) {
        // Twice in a row, then it responds again.
        for (let n = 0; n < 2; n++) {
          expect((await failProbe()).text).toContain('"era":"stateless"');
          expect(eras()).toEqual(['stateless', 'stateless', 0]);
        }
        await receive();
      }
      // One for each probe with a response, which also asks whether sessions are supported.
      expect([count('initialize'), era.isUnsettled]).toEqual([4, false]);
    },
  );

  test.each(NOTHING)(
    'a backend still counts as stateless after repeated %s to server/discover while it answers other requests with 503',
    async (_, later) => {
      const { failProbe, eras, era } = await doubted(later, status(503));
      for (let n = 0; n < 5; n++) {
        expect((await failProbe()).error).toMatchObject({ reason: 'http_error', httpStatus: 503 });
        expect(eras()).toEqual(['stateless', 'stateless', 0]);
      }
      expect(era.isUnsettled).toBe(false);
    },
  );

  test.each(NOTHING)(
    'the gateway notices that a stateless backend has changed to sessions even if server/discover gets %s',
    async (_, later) => {
      const sessions = withHandshake((request, response) => {
        if (request.headers['mcp-session-id'] === undefined) return status(400, 'no session')(request, response);
        sendJson(response, answerTo(request, '{"era":"session"}'));
      }, 's-1');
      const { failProbe, eras } = await doubted(later, sessions);
      for (let n = 0; n < 2; n++) expect((await failProbe()).error).toMatchObject({ httpStatus: 400 });
      expect((await failProbe()).text).toContain('"era":"session"');
      expect(eras()).toEqual(['session', 'session', 1]);
    },
  );

  test.each<[string, RawHandler]>([
    ['silence', () => {}],
    ['the error unknown method', error(-32601)],
  ])(
    'the gateway does not repeat a call that a backend answered with 400, even after %s to server/discover',
    async (_, later) => {
      let isAnother = false;
      const server = await edge.server(
        startRawServer((request, response) => {
          const { method } = request.message ?? {};
          if (method === 'tools/call') return error(-32602, { why: 'charged, but no receipt' })(request, response);
          if (method !== 'server/discover') return void response.writeHead(202).end();
          return isAnother
            ? later(request, response)
            : result({ supportedVersions: ['2026-07-28'] })(request, response);
        }),
      );
      const session = edge.session(planFor(server.origin, 'streamable-http', 300));
      await session.open();
      isAnother = true;
      for (const isStateless of [true, false]) {
        const sink = await send(session, 'tools/call', { name: 'x' }, { isStateless });
        expect([sink.httpStatus, JSON.parse(sink.text).error.data.why]).toEqual([400, 'charged, but no receipt']);
      }
      expect(server.requests.filter(({ message }) => message?.method === 'tools/call')).toHaveLength(2);
    },
  );

  /** A backend known as stateless that refuses calls with -32022 and this data; after a change it answers `server/discover` with `later`. */
  async function refused(data: unknown, later: RawHandler) {
    let isAnother = false;
    const sessions = withHandshake(
      (request, response) => sendJson(response, answerTo(request, '{"era":"session"}')),
      's',
    );
    const server = await edge.server(
      startRawServer((request, response) => {
        const { message, headers } = request;
        if (message?.method === 'server/discover' && isAnother) return later(request, response);
        if (message?.method === 'server/discover')
          return result({ supportedVersions: ['2026-07-28'] })(request, response);
        if (message?.method === 'x') return status(400)(request, response);
        return headers['mcp-protocol-version'] === '2026-07-28'
          ? error(-32022, data)(request, response)
          : sessions(request, response);
      }),
    );
    const era = new BackendEra();
    const session = edge.session(planFor(server.origin), edge.client(), { era });
    await session.open();
    const changes = () => {
      isAnother = true;
    };
    return { session, era, server, changes };
  }

  test.each([{ supported: ['2025-11-25'] }, { supported: [] }, { supported: 7 }, undefined])(
    'the gateway opens a session with a backend that refuses the stateless revision of MCP with the error data %j',
    async data => {
      const { session, era, server, changes } = await refused(data, error(-32022, { supported: ['2025-11-25', 5] }));
      // It was probed a moment ago, after a refusal with another cause.
      expect((await send(session, 'x')).error?.httpStatus).toBe(400);
      changes();
      const calls = [false, true].map(isStateless => send(session, 'tools/call', { name: 'x' }, { isStateless }));
      const [sink, stateless] = await Promise.all(calls);
      expect(sink?.text).toContain('{"era":"session"}');
      expect(stateless?.error).toBeInstanceOf(InSessionsError);
      expect(era.known).toBe('session');
      const sessions = server.requests.filter(({ headers }) => headers['mcp-session-id'] !== undefined);
      expect(sessions.filter(({ message }) => message?.method === 'tools/call')).toHaveLength(1);
    },
  );

  const STAYS = result({ supportedVersions: ['2026-07-28'] });
  test.each<[string, unknown, RawHandler, string]>([
    ['names a session revision', { supported: ['2025-11-25'] }, STAYS, 'speaks other revisions of MCP: "2025-11-25"'],
    ['names no other revision', undefined, STAYS, 'speaks other revisions of MCP: none'],
    ['names an unknown revision', { supported: ['x'] }, error(-32022, { supported: ['x'] }), 'speaks other revisions'],
    ['then answers 503', { supported: ['2025-11-25'] }, status(503), 'speaks other revisions of MCP: "2025-11-25"'],
    [
      'names the same revision',
      { supported: ['2026-07-28'] },
      STAYS,
      'refuses revision 2026-07-28, although it lists the revision as supported',
    ],
  ])(
    'a client gets an error of the gateway in place of the refusal of the MCP revision by a backend that %s',
    async (_name, data, later, message) => {
      const { session, changes } = await refused(data, later);
      changes();
      for (const isStateless of [false, true]) {
        const { error, text } = await send(session, 'tools/call', { name: 'x' }, { isStateless });
        expect([error?.reason, text]).toEqual(['protocol_error', '']);
        expect(error?.message).toContain(`backend "peer": ${message}`);
      }
    },
  );

  test('the gateway forwards errors that do not concern the MCP revision, and they make it send server/discover only seldom', async () => {
    const discover = result({ supportedVersions: ['2026-07-28'] });
    const server = await edge.server(
      startRawServer((request, response) => {
        if (request.message.method === 'server/discover') return discover(request, response);
        return error(-32602, { why: 'arguments' })(request, response);
      }),
    );
    const session = edge.session(planFor(server.origin));
    const sinks: RecordingSink[] = [];
    for (let n = 0; n < 5; n++) sinks.push(await send(session, 'tools/call', { name: 'x' }));
    for (const sink of sinks) {
      expect(sink.httpStatus).toBe(400);
      expect(JSON.parse(sink.text).error).toEqual({ code: -32602, message: 'no', data: { why: 'arguments' } });
    }
    expect(server.requests.filter(({ message }) => message.method === 'server/discover')).toHaveLength(2);
  });

  test('the gateway sends server/discover again when no session opens at a backend that counted as a backend with sessions', async () => {
    let isBack = false;
    const { era, open, count } = await connectRaw((request, response) =>
      (isBack ? result({ supportedVersions: ['2026-07-28'] }) : status(502))(request, response),
    );
    const session = open();
    await send(session, 'x');
    expect(era.known).toBe('session');
    era.forget();
    isBack = true;
    expect((await send(session, 'x')).ended).toBe(true);
    expect([era.known, count('server/discover'), count('initialize')]).toEqual(['stateless', 2, 2]);
  });
});

test('the gateway opens the GET stream of a session even while it does not know whether the backend still has sessions', async () => {
  const { era, open, server } = await connectRaw(error(-32601), (_request, response) => openEvents(response));
  const session = open();
  expect((await send(session, 'x')).ended).toBe(true);
  era.forget();
  session.listen({ message() {} });
  await server.waitFor(({ method, headers }) => method === 'GET' && headers['mcp-session-id'] === 's-1');
});

test('a backend that answers 405 to server/discover and 401 to a GET is reported as unauthenticated, and not as one with sessions', async () => {
  const { open } = await connectRaw(status(405), status(401));
  await expect(open().open()).rejects.toMatchObject({ reason: 'unauthenticated', httpStatus: 401 });
});

test('a connection to a backend that counted as having sessions can open after the backend has become stateless', async () => {
  const first = await startSdkServer({ transport: 'streamable-http' });
  const session = edge.session(planFor(first.url), edge.client(), {
    era: new BackendEra({ known: 'session', freshMs: 0 }),
  });
  await first.close();
  await edge.server(startStatelessServer({ port: first.port }));
  expect((await session.open()).protocolVersion).toBe('2026-07-28');
});
