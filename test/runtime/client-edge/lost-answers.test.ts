/** A written response need not have arrived: most connections break in between. */
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MAX_ID_LENGTH } from '../../../runtime/mcp/client-limits.ts';
import { MAX_ENDED_STREAMS } from '../../../runtime/mcp/ended-streams.ts';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { MAX_KEPT_BYTES } from '../../../runtime/mcp/replay-buffer.ts';
import type { McpEndpointOptions } from '../../../runtime/mcp/streamable-http/endpoint.ts';
import { call, type Gateway, initialize, open, type Reply, readUntil, send, startGateway } from './fake-gateway.ts';

const NOTE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}';
const LOST = { code: -32603, message: expect.stringContaining('the answer is lost') };

/** The longest id that a client may send, in characters of three bytes each. */
const LONGEST = `"${'鍵'.repeat(MAX_ID_LENGTH - 2)}"`;

interface Started extends Gateway {
  readonly session: string;
  /** The pending `slow` requests, oldest first. */
  readonly answers: ClientResponder[];
}

/** A gateway whose `slow` and `quick` send `NOTE`; `quick` then responds at once, `slow` when the test decides. */
async function start(options: Partial<McpEndpointOptions> = {}, revision?: string): Promise<Started> {
  const answers: ClientResponder[] = [];
  const slow = (answer: ClientResponder): void => {
    answers.push(answer);
    answer.message(NOTE);
  };
  const quick = (answer: ClientResponder): void => {
    answer.message(NOTE);
    answer.result('"quick"');
  };
  const gateway = await startGateway({ slow, quick }, options);
  return { ...gateway, session: await initialize(gateway.url, revision), answers };
}

/** POSTs over a connection that reads the first message and then stops, like a stalled network. */
async function beginStalled({ url, session }: Started, body: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nMcp-Session-Id: ${session}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  await new Promise<void>(resolve => {
    let text = '';
    socket.on('data', chunk => {
      text += chunk;
      if (!text.includes('soon')) return;
      socket.pause();
      resolve();
    });
  });
  return socket;
}

const slowCall = (id: string): string => `{"jsonrpc":"2.0","id":${id},"method":"slow"}`;

function comeBack({ url, session }: Started, lastEventId: string): Promise<Reply> {
  return send(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': session, 'Last-Event-ID': lastEventId });
}

/** The messages of an event stream, with the ids of their events. */
function eventsOf({ text }: Reply): [id: string | undefined, message: unknown][] {
  const events = text.split('\n\n').filter(event => /^data: ./m.test(event));
  return events.map(event => [/^id: (.*)$/m.exec(event)?.[1], JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '')]);
}

/** What a client gets of the response when it reconnects. */
async function answerOf(started: Started, lastEventId: string): Promise<unknown> {
  return eventsOf(await comeBack(started, lastEventId)).at(-1)?.[1];
}

/** Closes a connection that has unread data, and waits until the gateway has released it. */
async function breakOff({ openAnswers }: Started, socket: Socket): Promise<void> {
  socket.destroy();
  await vi.waitFor(() => expect(openAnswers()).toBe(0), { interval: 2 });
}

test('a client that reconnects gets an answer that the gateway wrote to the broken connection and that never arrived', async () => {
  const started = await start();
  const socket = await beginStalled(started, slowCall('5'));
  started.answers[0]?.result('"late"');
  // All of it is written, and the gateway sees a healthy connection.
  await vi.waitFor(() => expect(started.openAnswers()).toBe(0));
  expect(socket.destroyed).toBe(false);
  socket.destroy();
  const answer = [['1.5-end', { jsonrpc: '2.0', id: 5, result: 'late' }]];
  expect(eventsOf(await comeBack(started, '1.5-1'))).toEqual(answer);
  // It may be lost again until the client confirms it.
  expect(eventsOf(await comeBack(started, '1.5-0'))).toEqual([['1.5-1', JSON.parse(NOTE)], ...answer]);
  expect(await comeBack(started, '1.5-end')).toMatchObject({ status: 405 });
  expect(await answerOf(started, '1.5-1')).toEqual({ jsonrpc: '2.0', id: 5, error: LOST });
});

test('a client that reconnects gets a whole answer that the gateway wrote only partly to the broken connection', async () => {
  const started = await start();
  const text = 'x'.repeat(MAX_KEPT_BYTES / 2);
  const first = await beginStalled(started, slowCall('1'));
  started.answers[0]?.result(`"${text}"`);
  await breakOff(started, first);
  expect(await answerOf(started, '1.1-1')).toEqual({ jsonrpc: '2.0', id: 1, result: text });

  const second = await beginStalled(started, slowCall('2'));
  const whole = Buffer.from(`{"jsonrpc":"2.0","id":2,"result":"${text}"}`);
  started.answers[1]?.start(whole.length);
  started.answers[1]?.data(whole.subarray(0, whole.length / 2));
  started.answers[1]?.data(whole.subarray(whole.length / 2));
  started.answers[1]?.end();
  await breakOff(started, second);
  expect(await answerOf(started, '2.2-1')).toEqual({ jsonrpc: '2.0', id: 2, result: text });
});

test('a client gets a whole answer even if the gateway drops its stored copy while it sends the copy', async () => {
  const started = await start();
  const whole = `{"jsonrpc":"2.0","id":1,"result":"${'x'.repeat(MAX_KEPT_BYTES - 1000)}"}`;
  const first = await beginStalled(started, slowCall('1'));
  started.answers[0]?.start(undefined);
  for (let at = 0; at < whole.length; at += 65_536) {
    started.answers[0]?.data(Buffer.from(whole.slice(at, at + 65_536)));
  }
  started.answers[0]?.end();
  await breakOff(started, first);
  // A pipelined request waits in the gateway until the one before it is answered.
  const socket = await beginStalled(started, slowCall('2'));
  const { host } = new URL(started.url);
  const before = started.openAnswers();
  socket.write(
    `GET /mcp HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nMcp-Session-Id: ${started.session}\r\n` +
      'Last-Event-ID: 1.1-1\r\nConnection: close\r\n\r\n',
  );
  await vi.waitFor(() => expect(started.openAnswers()).toBe(before + 1));
  expect(await comeBack(started, '1.1-end')).toMatchObject({ status: 405 });
  started.answers[1]?.result('{}');
  const text = Buffer.concat(await socket.toArray()).toString();
  expect(text.replace(/\r\n[0-9a-f]+\r\n/g, '').includes(`data: ${whole}\n\n`)).toBe(true);
});

test('a client that reconnects gets the answers of a batch that the gateway wrote to the broken connection', async () => {
  const started = await start({}, '2025-03-26');
  const socket = await beginStalled(started, `[${slowCall('1')},${slowCall('2')}]`);
  started.answers[1]?.result('"two"');
  started.answers[0]?.result('"one"');
  await vi.waitFor(() => expect(started.openAnswers()).toBe(0));
  socket.destroy();
  const results = eventsOf(await comeBack(started, '1.-2')).map(([, message]) => message);
  expect(results).toMatchObject([
    { id: 2, result: 'two' },
    { id: 1, result: 'one' },
  ]);
});

test('after the resume window, the gateway stores no answer for a client that has got its answers', async () => {
  const started = await start({ resumeWindowMs: 50 });
  expect(await call(started.url, started.session, 'quick', '7')).toMatchObject({ status: 200 });
  await vi.waitFor(async () =>
    expect(await answerOf(started, '1.7-1')).toEqual({ jsonrpc: '2.0', id: 7, error: LOST }),
  );
});

test.each([
  ['a number', '7', '7'],
  ['a large number', '12345678901234567890', '12345678901234567890'],
  ['a string', '"a b-1"', '~ImEgYi0xIg'],
  ['a string of non-ASCII characters', '"é日"', '~IsOp5pelIg'],
  ['an escaped string', '"\\u00e9"', '~Ilx1MDBlOSI'],
  ['a string of the maximum length', LONGEST, `~IumN${'temN'.repeat(MAX_ID_LENGTH - 3)}tSI`],
  ['a number of the maximum length', '7'.repeat(MAX_ID_LENGTH), '7'.repeat(MAX_ID_LENGTH)],
])(
  'a client that reconnects gets an error for an answer that the gateway no longer stores: the id is %s',
  async (_, id, inName) => {
    const started = await start({ resumeWindowMs: 1 });
    const text = (await call(started.url, started.session, 'quick', id)).text;
    expect(text).toContain(`id: 1.${inName}-1\n`);
    await vi.waitFor(async () => {
      const reply = await comeBack(started, `1.${inName}-1`);
      expect(reply.text).toContain(`id: 1.${inName}-end\ndata: {"jsonrpc":"2.0","id":${id},"error"`);
    });
  },
);

test('a client that reconnects gets an error for an answer that was too large to keep', async () => {
  const started = await start();
  const socket = await beginStalled(started, slowCall('1'));
  started.answers[0]?.result(`"${'x'.repeat(MAX_KEPT_BYTES)}"`);
  await breakOff(started, socket);
  expect(await answerOf(started, '1.1-1')).toEqual({ jsonrpc: '2.0', id: 1, error: LOST });
});

test('the gateway stores only a limited number of the latest ended streams of a session', async () => {
  const started = await start();
  const count = MAX_ENDED_STREAMS + 6;
  for (let id = 1; id <= count; id++) await call(started.url, started.session, 'quick', String(id));
  const results: unknown[] = [];
  for (let id = 1; id <= count; id++) results.push(await answerOf(started, `${id}.${id}-1`));
  const kept = (id: number): unknown => ({ jsonrpc: '2.0', id, result: 'quick' });
  const lost = (id: number): unknown => ({ jsonrpc: '2.0', id, error: LOST });
  expect(results).toEqual(results.map((_, index) => (index < 6 ? lost : kept)(index + 1)));
});

test('the gateway stores only a limited number of ended streams of a session even if the client disconnected from each', async () => {
  const started = await start();
  const count = MAX_ENDED_STREAMS + 1;
  for (let id = 1; id <= count; id++) {
    const socket = await beginStalled(started, slowCall(String(id)));
    await breakOff(started, socket);
    started.answers[id - 1]?.result('"late"');
  }
  expect(await answerOf(started, '1.1-1')).toMatchObject({ error: LOST });
  expect(await answerOf(started, '2.2-1')).toMatchObject({ result: 'late' });
});

test('at the limit of stored bytes, the gateway drops ended streams before a stream whose client may still reconnect', async () => {
  const started = await start();
  const socket = await beginStalled(started, slowCall('"first"'));
  await breakOff(started, socket);
  const result = `"${'x'.repeat(MAX_KEPT_BYTES / 4)}"`;
  for (let id = 1; id <= 8; id++) {
    const text = call(started.url, started.session, 'slow', String(id));
    await vi.waitFor(() => expect(started.answers).toHaveLength(id + 1));
    started.answers[id]?.result(result);
    await text;
  }
  started.answers[0]?.result('"late"');
  const events = eventsOf(await comeBack(started, '1.~ImZpcnN0Ig-0'));
  expect(events).toEqual([
    ['1.~ImZpcnN0Ig-1', JSON.parse(NOTE)],
    ['1.~ImZpcnN0Ig-end', { jsonrpc: '2.0', id: 'first', result: 'late' }],
  ]);
});

test('a client that reconnects gets no answer for a call that was cancelled', async () => {
  const started = await start();
  const socket = await beginStalled(started, slowCall('1'));
  started.answers[0]?.cancel();
  await vi.waitFor(() => expect(started.openAnswers()).toBe(0));
  socket.destroy();
  expect(await answerOf(started, '1.1-1')).toEqual({ jsonrpc: '2.0', id: 1, error: LOST });
});

test('the gateway ends the GET stream of a session with the session, even if it replaced a GET stream that broke', async () => {
  const started = await start();
  const listen = (): Promise<IncomingMessage> =>
    open(started.url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': started.session });
  const broken = await listen();
  broken.destroy();
  await vi.waitFor(() => expect(started.openAnswers()).toBe(0));
  const connected = await listen();
  const ended = new Promise(resolve => connected.on('end', resolve));
  await readUntil(connected, '\n\n');
  await send(started.url, 'DELETE', { 'Mcp-Session-Id': started.session });
  await ended;
});

test.each(['version 1', 'version 2'])(
  'the official client, %s, reconnects and gets an answer that was lost between a proxy and the client',
  async version => {
    const { url } = await startGateway({
      'tools/call': answer => {
        answer.message(NOTE);
        answer.result('{"content":[{"type":"text","text":"hi"}]}');
      },
    });
    const gets: (string | null)[] = [];
    const losing = async (input: string | URL, init?: RequestInit): Promise<Response> => {
      if (init?.method === 'GET') gets.push(new Headers(init.headers).get('last-event-id'));
      const response = await fetch(input, init);
      return String(init?.body).includes('tools/call') ? losingAnswer(response) : response;
    };
    const options = { fetch: losing };
    const client =
      version === 'version 1'
        ? new Client({ name: 'test', version: '1' })
        : new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    const transport =
      version === 'version 1'
        ? new StreamableHTTPClientTransport(new URL(url), options)
        : new TransportV2(new URL(url), options);
    await client.connect(transport as never);
    const result = await client.callTool({ name: 'echo', arguments: {} });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    expect(gets).toEqual([null, expect.stringMatching(/^\d+\.\d+-1$/)]);
    await client.close();
  },
);

/** A response whose body fails after the first message, although all bytes have arrived. */
async function losingAnswer(response: Response): Promise<Response> {
  const text = await response.text();
  const rest = text.indexOf('\n\n', text.indexOf('soon')) + 2;
  expect(text.slice(rest)).toContain('"result"');
  const body = new ReadableStream<Uint8Array>({
    start: controller => controller.enqueue(new TextEncoder().encode(text.slice(0, rest))),
    pull: controller => controller.error(new TypeError('terminated')),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}

test('a client cannot get an answer that the gateway stores for another session by the event id alone', async () => {
  const started = await start();
  await call(started.url, started.session, 'quick', '7');
  const other = { ...started, session: await initialize(started.url) };
  expect(await answerOf(other, '1.7-1')).toEqual({ jsonrpc: '2.0', id: 7, error: LOST });
});
