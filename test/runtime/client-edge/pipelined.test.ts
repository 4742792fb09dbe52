/** Pipelined requests (RFC 9112, section 9.3.2): what they hold is released with the connection. */
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '#runtime';
import { type Route, startListener } from '../../../runtime/http/listener.ts';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { runs } from '../../support/runs.ts';
import { findHeaders, formatRequest } from '../stateless-edge/requests.ts';
import { type Gateway, initialize, open, startGateway } from './fake-gateway.ts';

const EVENTS = { Accept: 'text/event-stream' };

function requestText(method: string, path: string, headers: object, body?: string): string {
  const ofBody = body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const all = Object.entries({ Host: 'localhost', ...headers, ...ofBody }).filter(([, value]) => value !== undefined);
  return `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body ?? ''}`;
}

/** One connection, with several requests sent at once. */
function pipeline(port: number, requests: readonly string[]): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(requests.join(''));
  return socket;
}

interface Holding extends Gateway {
  readonly port: number;
  readonly session: string;
  /** The received calls, which only the test answers. */
  readonly calls: ClientResponder[];
  /** The text of such a call. */
  call(id: number): string;
}

async function startHolding(options: Parameters<typeof startGateway>[1] = {}): Promise<Holding> {
  const calls: ClientResponder[] = [];
  const gateway = await startGateway({ held: answer => void calls.push(answer) }, options);
  const session = await initialize(gateway.url);
  const headers = { Accept: 'application/json', 'Mcp-Session-Id': session };
  const call = (id: number) => requestText('POST', '/mcp', headers, `{"jsonrpc":"2.0","id":${id},"method":"held"}`);
  return { ...gateway, port: gateway.listener.address.port, session, calls, call };
}

const LISTEN = { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } };

test.each<[what: string, request: string, held: (gateway: Gateway) => number]>([
  ['HTTP+SSE streams', requestText('GET', '/sse', EVENTS), ({ sse }) => sse.sessionCount],
  [
    'subscriptions',
    requestText('POST', '/mcp', { ...EVENTS, ...findHeaders(LISTEN) }, formatRequest(LISTEN)),
    ({ endpoint }) => endpoint.subscriptionCount,
  ],
])(
  '%s that a client pipelines behind an unanswered call end when the client disconnects',
  async (_what, request, held) => {
    const gateway = await startHolding();
    const socket = pipeline(gateway.port, [gateway.call(1), ...Array(5).fill(request)]);
    await vi.waitFor(() => expect(held(gateway)).toBe(5));
    socket.destroy();
    await vi.waitFor(() => expect(held(gateway)).toBe(0));
  },
);

test('GET streams that a client pipelines behind an unanswered call count toward the stream limit only until the client disconnects', async () => {
  const { url, port, session, call } = await startHolding();
  const headers = { ...EVENTS, 'Mcp-Session-Id': session };
  const listen = async () => {
    const res = await open(url, 'GET', headers);
    res.destroy();
    return res.statusCode;
  };
  const socket = pipeline(port, [call(1), ...Array(4).fill(requestText('GET', '/mcp', headers))]);
  await vi.waitFor(async () => expect(await listen()).toBe(409));
  socket.destroy();
  await vi.waitFor(async () => expect(await listen()).toBe(200));
});

test('calls that a client pipelines behind an unanswered call are aborted when the client disconnects', async () => {
  const { port, calls, call, openAnswers } = await startHolding();
  const socket = pipeline(port, [1, 2, 3].map(call));
  await vi.waitFor(() => expect(calls).toHaveLength(3));
  expect(calls.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  socket.destroy();
  await vi.waitFor(() => expect(calls.map(({ aborted }) => aborted)).toEqual([true, true, true]));
  expect(openAnswers()).toBe(0);
});

test('an HTTP+SSE stream that a client pipelines without initialize counts as a session until the timeout for initialize', async () => {
  const { port, sse, call, calls } = await startHolding({ initializeMs: 2_000 });
  pipeline(port, [call(1), ...Array(3).fill(requestText('GET', '/sse', EVENTS))]);
  await vi.waitFor(() => expect(sse.sessionCount).toBe(3));
  await vi.waitFor(() => expect(sse.sessionCount).toBe(0), { timeout: 10_000 });
  expect(calls[0]?.aborted).toBe(false);
});

test('the gateway sends the answers to pipelined requests in the order of the requests', async () => {
  const { port, calls, call } = await startHolding();
  const socket = pipeline(port, [1, 2, 3].map(call));
  let text = '';
  socket.setEncoding('utf8').on('data', chunk => {
    text += chunk;
  });
  await vi.waitFor(() => expect(calls).toHaveLength(3));
  for (const answer of calls.toReversed()) answer.result('{}');
  await vi.waitFor(() => expect(text.match(/"id":\d/g)).toEqual(['"id":1', '"id":2', '"id":3']));
});

/** How much of a response was sent when its connection breaks. */
const ANSWERS = {
  none: () => {},
  begun: (res: ServerResponse) => void res.writeHead(200).write('x'),
  whole: (res: ServerResponse) => void res.end('x'),
  destroyed: (res: ServerResponse) => void res.destroy(),
  /** Only for the first request: after it, Node does not notice a closed connection until the response was sent. */
  unread: (res: ServerResponse) => void res.end(Buffer.alloc(10_000_000)),
} satisfies Record<string, (res: ServerResponse) => void>;

type AnswerKind = keyof typeof ANSWERS;

test('when a connection closes, the gateway notifies each pipelined request once, whether or not its response has begun', async () => {
  const first = fc.constantFrom(...(Object.keys(ANSWERS) as AnswerKind[]));
  const behind = fc.array(fc.constantFrom<AnswerKind>('none', 'begun', 'whole', 'destroyed'), { maxLength: 5 });
  const kinds = fc.tuple(first, behind).map(([kind, others]) => [kind, ...others]);
  const end = fc.constantFrom<(socket: Socket) => void>(
    socket => socket.destroy(),
    socket => socket.resetAndDestroy(),
    socket => socket.resume().end(),
  );
  await fc.assert(fc.asyncProperty(kinds, end, eachHearsOnce), { seed: 20261123, numRuns: runs(100) });
});

async function eachHearsOnce(kinds: readonly AnswerKind[], end: (socket: Socket) => void): Promise<void> {
  const closed: number[] = [];
  const all = kinds.map((kind, index): [string, Route] => [
    `/${index}`,
    (_req, res) => {
      closed[index] = 0;
      res.on('close', () => {
        closed[index] = (closed[index] ?? 0) + 1;
      });
      ANSWERS[kind](res);
    },
  ]);
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    routes: new Map(all),
    log: createLogger('silent'),
  });
  const socket = pipeline(
    listener.address.port,
    kinds.map((_, index) => requestText('GET', `/${index}`, {})),
  );
  const gone = new Promise(resolve => socket.once('close', resolve));
  await vi.waitFor(() => expect(closed).toHaveLength(kinds.length), { interval: 1 });
  end(socket);
  await gone;
  await vi.waitFor(() => expect(closed).not.toContain(0), { interval: 1 });
  await listener.close(0);
  await setImmediate();
  expect(closed).toEqual(kinds.map(() => 1));
}
