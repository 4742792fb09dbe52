/**
 * A rolling deployment that never ends: old and new servers of a backend respond in turn at one address, half of them with sessions and half
 * stateless. The servers count what that costs.
 */
import { createServer, type IncomingMessage, request as requestOver, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import { type ChangingBackend, startChangingBackend } from '../../support/changing-backend.ts';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { Edge, planFor, send } from '../backend-edge/harness.ts';
import { answerTo } from '../backend-edge/raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const SEED = 2026;

/** Sends each request to a random one of the two, once `isMixed` is set; each probe reaches the one that the last probe did not. */
class Balancer {
  isMixed = false;
  url = '';
  readonly #servers: readonly ChangingBackend[];
  #state = SEED;
  #seen = 0;
  readonly #http = createServer((request, response) => this.#pass(request, response));

  constructor(servers: readonly [ChangingBackend, ChangingBackend]) {
    this.#servers = servers;
  }

  async listen(): Promise<this> {
    await new Promise<void>(resolve => this.#http.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
    return this;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>(resolve => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await closed;
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers } = request;
    const onward = requestOver(
      this.#next(headers['mcp-method'] === 'server/discover').url,
      { method, headers },
      answer => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.on('error', () => response.destroy()).pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }

  #next(isLook: boolean): ChangingBackend {
    if (this.isMixed && isLook) return this.#servers[++this.#seen % 2] as ChangingBackend;
    // xorshift32
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return this.#servers[this.isMixed && state < 0 ? 1 : 0] as ChangingBackend;
  }
}

const OPENING: ReadonlySet<string> = new Set(['initialize', 'subscriptions/listen', 'GET']);
const countIn = (requests: ChangingBackend['requests'], ...methods: string[]) =>
  requests.filter(({ method }) => methods.includes(method)).length;

test.each([
  ['session', 'stateless'],
  ['stateless', 'session'],
] as const)(
  'while replicas behind one backend address differ (%s and %s), calls of one client seldom make the gateway reconnect other clients',
  async (before, after) => {
    const former = await edge.server(startChangingBackend(before));
    const next = await edge.server(startChangingBackend(after));
    const balancer = await edge.server(new Balancer([former, next]).listen());
    const health = { intervalMs: 3_600_000, timeoutMs: 60_000, unhealthyThreshold: 3 };
    await using gateway = await startGateway({ backends: [backendPlan('a', balancer.url)], operational: { health } });
    await gateway.ready();
    const LISTENING = 12;
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const clients = Array.from({ length: LISTENING + 1 }, () => new RawClient(gateway.url));
    for (const client of clients) {
      await client.open();
      await client.result('tools/call', { name: 'a_echo', arguments: { nonce: 'x' } });
      const headers = { accept: 'text/event-stream', 'mcp-session-id': client.sessionId ?? '' };
      await fetch(gateway.url, { headers, signal: leaving.signal });
    }
    // The gateway itself has a stream too.
    await eventually(() => countIn(former.requests, 'GET', 'subscriptions/listen') >= LISTENING + 1);
    const requests = () => [...former.requests, ...next.requests];
    const opened = () => requests().filter(({ method }) => OPENING.has(method)).length;
    const openedBefore = opened();
    balancer.isMixed = true;
    // Each call takes ten milliseconds, however busy the machine is, because a backend must keep its era for seconds.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let answered = 0;
    for (let n = 0; n < 100; n++) {
      await vi.advanceTimersByTimeAsync(10);
      const params = { name: 'a_echo', arguments: { nonce: String(n) } };
      const { text } = await (clients[0] as RawClient).request('tools/call', params);
      if (text.includes('"result"')) answered++;
    }
    vi.useRealTimers();
    expect(answered).toBeGreaterThan(0);
    // At most one change of era for each: a session, and a stream.
    expect(opened() - openedBefore).toBeLessThan(3 * (LISTENING + 2));
    expect(countIn(requests(), 'server/discover')).toBeLessThan(20);
  },
);

test.each(['stateless', 'session'] as const)(
  'clients that only listen follow a backend to its final era once it no longer changes, however often it has changed (%s at first)',
  async first => {
    const FLIPS = 40;
    const SETTLING_MS = 300;
    const other = first === 'session' ? 'stateless' : 'session';
    const backend = await edge.server(startChangingBackend(first));
    const era = new BackendEra({ freshMs: 0, settlingMs: SETTLING_MS });
    const client = edge.client();
    const sessions = Array.from({ length: 10 }, () => edge.session(planFor(backend.url), client, { era }));
    let missed = 0;
    for (const session of sessions) {
      await session.open();
      session.listen({ message() {}, missed: () => missed++ });
    }
    const streams = () => countIn(backend.requests, first === 'session' ? 'GET' : 'subscriptions/listen');
    await eventually(() => streams() === sessions.length);
    const caller = edge.session(planFor(backend.url), client, { era });
    await send(caller, 'tools/call', { name: 'echo', arguments: { nonce: '0' } });
    const before = backend.requests.length;
    // Between two changes, a tenth of the time passes for which a backend must keep its era.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (let n = 1; n <= FLIPS; n++) {
      await vi.advanceTimersByTimeAsync(SETTLING_MS / 10);
      const now = n % 2 === 0 ? first : other;
      backend.become(now);
      const { error } = await send(caller, 'tools/call', { name: 'echo', arguments: { nonce: String(n) } });
      expect([error, era.known]).toEqual([undefined, now]);
    }
    const since = backend.requests.slice(before);
    // One client opens a session with every other call, and each probe of a stateless backend asks for one; the others may have followed the
    // first change and gone back.
    expect(countIn(since, 'initialize')).toBeLessThanOrEqual(FLIPS + 2 * sessions.length);
    expect(countIn(since, 'subscriptions/listen')).toBeLessThanOrEqual(2 * sessions.length);
    expect(countIn(since, 'server/discover')).toBeLessThanOrEqual(FLIPS);
    expect(missed).toBeLessThanOrEqual(2 * sessions.length);
    // A final change, to the era that no session had: all follow.
    backend.become('sse');
    await send(caller, 'tools/call', { name: 'echo', arguments: { nonce: 'last' } });
    expect(era.known).toBe('sse');
    const settled = backend.requests.length;
    // After so many changes it must keep its era for longer.
    await vi.advanceTimersByTimeAsync(10 * SETTLING_MS);
    vi.useRealTimers();
    await eventually(() => {
      const after = backend.requests.slice(settled).filter(request => request.era === 'sse');
      return countIn(after, 'initialize') === sessions.length;
    });
  },
);

test('when a stateless backend changes to sessions, clients that only listen get sessions without sending a request', async () => {
  const backend = await edge.server(startChangingBackend('stateless'));
  const era = new BackendEra();
  const client = edge.client();
  const sessions = Array.from({ length: 10 }, () => edge.session(planFor(backend.url), client, { era }));
  for (const session of sessions) {
    await session.open();
    session.listen({ message() {} });
  }
  await eventually(() => countIn(backend.requests, 'subscriptions/listen') === sessions.length);
  backend.become('session');
  const caller = edge.session(planFor(backend.url), client, { era });
  await send(caller, 'tools/call', { name: 'echo', arguments: { nonce: 'x' } });
  const inSessions = () => backend.requests.filter(({ era: ofRequest }) => ofRequest === 'session');
  const initialized = () => countIn(inSessions(), 'initialize');
  await eventually(() => initialized() === sessions.length + 1);
  await eventually(() => countIn(backend.requests, 'GET') === sessions.length);
});

test.each([
  ['is requested again', 1, 2],
  ['is requested at most four times', Number.POSITIVE_INFINITY, 4],
])(
  'a request for a subscription stream that an outdated replica of a backend refuses %s',
  async (_, refusals, expected) => {
    let isStateless = false;
    let asked = 0;
    const sessions = withHandshake((request, response) => sendJson(response, answerTo(request, '{}')), 's-1');
    const server = await edge.server(
      startRawServer((request, response) => {
        const { message } = request;
        const refuse = () => void response.writeHead(400).end();
        if (!isStateless) return message?.method === 'server/discover' ? refuse() : sessions(request, response);
        if (message?.method === 'initialize' || request.headers['mcp-session-id'] !== undefined) {
          const body = { jsonrpc: '2.0', id: message?.id ?? null, error: { code: -32022, message: 'no' } };
          return sendJson(response, JSON.stringify(body), {}, 400);
        }
        if (message?.method === 'subscriptions/listen') {
          if (++asked <= refusals) return refuse();
          openEvents(response);
          const params = { notifications: {}, _meta: { 'io.modelcontextprotocol/subscriptionId': message.id } };
          const method = 'notifications/subscriptions/acknowledged';
          return void response.write(eventText(JSON.stringify({ jsonrpc: '2.0', method, params })));
        }
        sendJson(response, answerTo(request, '{"supportedVersions":["2026-07-28"]}'));
      }),
    );
    const era = new BackendEra({ freshMs: 0, settlingMs: 20 });
    const session = edge.session(planFor(server.origin), edge.client(), { era });
    await send(session, 'x');
    session.listen({ message() {} });
    isStateless = true;
    expect((await send(session, 'x')).error).toBeUndefined();
    await eventually(() => asked === expected);
    expect([era.known, asked]).toEqual(['stateless', expected]);
  },
);

test.each([
  ['one change between sessions and stateless, a client gets the refusal of a call', 1, 1],
  ['two changes between sessions and stateless, a refused call is sent once more', 2, 2],
])('after %s, and the gateway does not probe the backend again', async (_, changes, expected) => {
  let supported: string | undefined;
  let refusals = 0;
  const sessions = withHandshake((request, response) => sendJson(response, answerTo(request, '{}')), 's-1');
  const server = await edge.server(
    startRawServer((request, response) => {
      const { method } = request.message ?? {};
      if (method === 'server/discover' && supported !== undefined) {
        return sendJson(response, answerTo(request, JSON.stringify({ supportedVersions: [supported] })));
      }
      if (method === 'server/discover' || (method === 'tools/call' && refusals-- > 0)) {
        return void response.writeHead(method === 'tools/call' ? 405 : 400).end();
      }
      return sessions(request, response);
    }),
  );
  const era = new BackendEra({ freshMs: 3_600_000 });
  const session = edge.session(planFor(server.origin), edge.client(), { era });
  for (let n = 0; n <= changes; n++) {
    supported = n % 2 === 0 ? undefined : '2026-07-28';
    era.forget();
    expect((await send(session, 'x')).error).toBeUndefined();
  }
  const before = server.requests.length;
  refusals = 1;
  const sink = await send(session, 'tools/call', { name: 'x' });
  expect(sink.error?.httpStatus).toBe(expected === 1 ? 405 : undefined);
  // The last probe may still be ending its session.
  const sent = server.requests.slice(before).flatMap(({ message }) => message?.method ?? []);
  expect(sent).toEqual(new Array(expected).fill('tools/call'));
});
