/** Concurrent calls to one backend are limited; those that wait for something other than the backend do not count. */
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpClient } from '../../../runtime/http/client.ts';
import {
  ConcurrencyLimiter,
  type LimitedRequest,
  MAX_PARKED,
  type TurnState,
} from '../../../runtime/http/concurrency-limiter.ts';
import { InFlightBudget, LARGE_TEXT, MAX_LARGE_TEXTS } from '../../../runtime/http/in-flight-budget.ts';
import { eventually } from '../../support/gateway.ts';
import {
  eventText,
  openEvents,
  type RawServer,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { startScripted } from '../pass-through/scripted-backend.ts';
import { Edge, planFor, RecordingSink, send } from './harness.ts';

class Taker implements LimitedRequest {
  turn: TurnState = 'none';
  hasGone = false;
  onTurn(): void {
    this.hasGone = true;
  }
}

/** The time after which connections that were in use can be used again. */
async function later(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

const takers = (count: number) => Array.from({ length: count }, () => new Taker());

describe('the limit of concurrent calls', () => {
  test('at the limit of concurrent calls, waiting calls start in their order as running calls end', async () => {
    const turns = new ConcurrencyLimiter(2);
    const [a, b, c, d, e] = takers(5) as [Taker, Taker, Taker, Taker, Taker];
    expect([a, b, c, d, e].map(taker => turns.take(taker))).toEqual([true, true, false, false, false]);
    turns.end(d); // It no longer waits.
    turns.end(a);
    expect(c.hasGone).toBe(false); // The connection is not free before this is over.
    await later();
    expect([c.hasGone, d.hasGone, e.hasGone]).toEqual([true, false, false]);
    turns.end(b);
    turns.end(c);
    await later();
    expect([d.hasGone, e.hasGone, turns.waiting]).toEqual([false, true, 0]);
    expect(turns.take(e)).toBe(true); // When it is sent again, it keeps its slot.
    turns.end(e);
    turns.end(e);
    expect(takers(3).map(taker => turns.take(taker))).toEqual([true, true, false]);
  });

  test('at the limit of concurrent calls, a new call does not overtake a call that already waits', async () => {
    const turns = new ConcurrencyLimiter(1);
    const [a, b, c] = takers(3) as [Taker, Taker, Taker];
    turns.take(a);
    turns.take(b);
    turns.end(a);
    expect(turns.take(c)).toBe(false);
    await later();
    expect([b.turn, c.turn]).toEqual(['taken', 'waiting']);
  });

  test('a call that waits for its client lets a waiting call start, and later continues although the limit is reached', async () => {
    const turns = new ConcurrencyLimiter(1);
    const [a, b, c] = takers(3) as [Taker, Taker, Taker];
    turns.take(a);
    turns.take(b);
    expect(turns.park(a)).toBe(true);
    await later();
    expect(b.hasGone).toBe(true);
    turns.unpark(a);
    turns.take(c);
    turns.end(b);
    await later();
    expect(c.hasGone).toBe(false); // `a` counts again.
    turns.end(a);
    await later();
    expect(c.hasGone).toBe(true);
  });

  test('only a limited number of calls can wait for their clients without counting toward the limit of concurrent calls', () => {
    const turns = new ConcurrencyLimiter(MAX_PARKED + 1);
    const all = takers(MAX_PARKED + 1);
    for (const taker of all) turns.take(taker);
    expect(all.map(taker => turns.park(taker)).indexOf(false)).toBe(MAX_PARKED);
    turns.end(all[0] as Taker);
    expect(turns.park(all.at(-1) as Taker)).toBe(true);
    expect(turns.park(new Taker())).toBe(false);
  });
});

const edge = new Edge();
afterEach(() => edge.dispose());

const QUESTION = '{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}';

/** A backend that elicits in `ask`, never answers `stuck` or `tasks/result`, and answers everything else. */
async function connect(connections: number, timeoutMs = 5_000) {
  const asking: ServerResponse[] = [];
  const server: RawServer = await edge.server(
    startRawServer(
      withHandshake(({ message: { id, method } }, response) => {
        if (method === 'stuck' || method === 'tasks/result') openEvents(response);
        else if (method === 'come back') {
          openEvents(response);
          response.end('retry: 60000\nid: e-0\ndata:\n\n');
        } else if (method === 'ask') {
          openEvents(response);
          response.write(eventText(QUESTION));
          asking.push(response);
        } else if (method !== undefined) sendJson(response, `{"jsonrpc":"2.0","id":${id},"result":{}}`);
        else response.writeHead(202).end();
      }, 's-1'),
    ),
  );
  const client = edge.client({ connections });
  const session = edge.sessionful(planFor(server.origin, 'streamable-http', timeoutMs), client);
  await session.open();
  return { server, session, client, asking };
}

class AskedSink extends RecordingSink {
  readonly asked: string[] = [];
  request(_json: string, id: string): void {
    this.asked.push(id);
  }
}

/** Makes a call during which the client gets a request. */
async function ask(session: Parameters<typeof send>[0]) {
  const sink = new AskedSink();
  const answered = send(session, 'ask', {}, { sink });
  await eventually(() => sink.asked.length === 1);
  return { sink, answered };
}

/** As many as may be suspended. */
function park(client: HttpClient): void {
  for (const taker of takers(MAX_PARKED)) {
    client.turns.take(taker);
    client.turns.park(taker);
  }
}

test('calls that wait for answers of their clients do not keep further calls from starting', async () => {
  const { session, asking } = await connect(2);
  const open = [await ask(session), await ask(session), await ask(session), await ask(session)];
  expect((await send(session, 'x')).text).toContain('"result":{}');
  expect(open.map(({ sink }) => sink.ended || sink.error !== undefined)).toEqual([false, false, false, false]);
  for (const response of asking) response.end();
  for (const { answered } of open) expect((await answered).error?.reason).toBe('protocol_error');
});

test('a call counts toward the limit of concurrent calls again when its client has answered the question of the backend', async () => {
  const { session, server } = await connect(1);
  const { sink } = await ask(session);
  await session.post('{"jsonrpc":"2.0","id":"q","result":{}}');
  const next = await send(session, 'next', {}, { timeoutMs: 100 });
  expect([next.error?.reason, sink.ended]).toEqual(['busy', false]);
  expect(server.requests.some(({ message }) => message?.method === 'next')).toBe(false);
});

test('a running tasks/result request does not keep further calls from starting', async () => {
  const { session, server } = await connect(1);
  const result = send(session, 'tasks/result', {}, { timeoutMs: 600_000 });
  await server.waitFor(({ message }) => message?.method === 'tasks/result');
  expect((await send(session, 'x')).text).toContain('"result":{}');
  await session.close();
  expect((await result).error?.reason).toBe('aborted');
});

test('a call that waits until its backend accepts the next attempt does not keep further calls from starting', async () => {
  const { session } = await connect(1);
  let isLost = false;
  class LosingSink extends RecordingSink {
    delayed(): void {
      isLost = true;
    }
  }
  const lost = send(session, 'come back', {}, { sink: new LosingSink() });
  await eventually(() => isLost);
  expect((await send(session, 'x')).text).toContain('"result":{}');
  await session.close();
  expect((await lost).error?.reason).toBe('aborted');
});

test('the gateway refuses a question of a backend when as many calls as the limit allows already wait for their clients', async () => {
  const { session, client, server } = await connect(1);
  park(client);
  const sink = new AskedSink();
  void send(session, 'ask', {}, { sink });
  const refusal = await server.waitFor(({ message }) => message?.id === 'q');
  expect([refusal.message.error.code, sink.asked]).toEqual([-32601, []]);
});

test('tasks/result fails with the reason busy when as many calls as the limit allows already wait, and a normal call succeeds', async () => {
  const { session, client } = await connect(1);
  park(client);
  expect((await send(session, 'tasks/result', {}, { timeoutMs: 600_000 })).error?.reason).toBe('busy');
  expect((await send(session, 'x')).text).toContain('"result":{}');
});

test('a call that waits too long at the limit of concurrent calls is not sent, and its error names the limit', async () => {
  const { session, client, server } = await connect(1);
  client.turns.take(new Taker());
  const late = await send(session, 'late', {}, { timeoutMs: 100 });
  expect(late.error).toMatchObject({
    reason: 'busy',
    message: 'backend "peer": the limit of concurrent calls was reached for 100ms',
  });
  expect(client.turns.waiting).toBe(0);
  await session.close();
  expect(server.requests.map(({ method, message }) => message?.method ?? method)).toEqual([
    'initialize',
    'notifications/initialized',
    'DELETE',
  ]);
});

test('a hundred concurrent calls reuse the few connections that the limit allows', async () => {
  const { session, server } = await connect(4);
  const before = server.connections;
  await Promise.all(Array.from({ length: 100 }, (_, n) => send(session, 'x', { n })));
  // One was used before, to open the session.
  expect(server.connections - before).toBe(3);
});

test('a call that its client cancels while it waits at the limit of concurrent calls is not sent', async () => {
  const { session, client, server } = await connect(1);
  const first = new Taker();
  client.turns.take(first);
  const abort = new AbortController();
  const given = send(session, 'given up', {}, { signal: abort.signal });
  const next = send(session, 'next');
  abort.abort();
  expect((await given).error?.reason).toBe('aborted');
  client.turns.end(first);
  expect((await next).text).toContain('"result":{}');
  expect(server.requests.some(({ message }) => message?.method === 'given up')).toBe(false);
});

describe('the texts of large calls', () => {
  test('the texts of large calls count toward a memory limit, and the texts of small calls do not', () => {
    const texts = new InFlightBudget();
    expect(texts.take(MAX_LARGE_TEXTS)).toBe(true);
    expect([texts.take(LARGE_TEXT), texts.take(LARGE_TEXT + 1)]).toEqual([true, false]);
    texts.release(LARGE_TEXT);
    expect(texts.take(LARGE_TEXT + 1)).toBe(false);
    texts.release(MAX_LARGE_TEXTS);
    expect([texts.take(MAX_LARGE_TEXTS), texts.take(LARGE_TEXT + 1)]).toEqual([true, false]);
  });

  const LARGE = { pad: 'x'.repeat(LARGE_TEXT) };

  test.each(['streamable-http', 'sse'] as const)(
    'the gateway refuses a large call that would exceed the memory limit for the texts of running calls, over %s',
    async transport => {
      const { url, answer } = await startEcho(transport);
      const client = edge.client();
      const session = edge.session(planFor(url, transport), client);
      await session.open();
      client.texts.take(MAX_LARGE_TEXTS - 2 * LARGE_TEXT);
      const first = send(session, 'slow', LARGE);
      const refused = await send(session, 'slow', LARGE);
      expect([refused.error?.reason, refused.error?.message]).toEqual([
        'busy',
        'backend "peer": too many calls of this size are under way',
      ]);
      expect((await send(session, 'small')).text).toContain('"result":{}');
      await answer();
      expect((await first).text).toContain('"result":{}');
      for (let n = 0; n < 3; n++) expect((await send(session, 'x', LARGE)).text).toContain('"result":{}');
    },
  );
});

/** A backend that answers `slow` when the test decides, and other calls at once. */
async function startEcho(transport: 'streamable-http' | 'sse') {
  let slow: (() => void) | undefined;
  const scripted = await edge.server(
    startScripted('peer', transport === 'sse' ? 'sse' : 'json', ({ message, answer }) => {
      if (message.method !== 'slow') answer('"result":{}');
      else slow = () => answer('"result":{}');
    }),
  );
  const answer = async () => {
    await eventually(() => slow !== undefined);
    slow?.();
  };
  return { url: scripted.plan.url, answer };
}
