/** Clients that do not read their event streams, and the buffers for clients that reconnect: both are limited. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ReplayBuffer, type ReplayStream } from '../../../runtime/mcp/replay-buffer.ts';
import { MAX_ALL_KEPT_BYTES, ReplayStore } from '../../../runtime/mcp/replay-store.ts';
import { MAX_ALL_UNREAD_BYTES, UnreadBytes, type UnreadStream } from '../../../runtime/mcp/unread-bytes.ts';
import { initialize, open, readUntil, startGateway } from './fake-gateway.ts';

const MIB = 1024 * 1024;

/** A stream with this many buffered messages, for a client that has stopped reading. */
class Waiting implements UnreadStream {
  readonly unreadBytes: number;
  readonly silentSinceMs: number;
  readonly #all: UnreadBytes;
  isBroken = false;

  constructor(all: UnreadBytes, unreadBytes: number, silentSinceMs = 0) {
    this.#all = all;
    this.unreadBytes = unreadBytes;
    this.silentSinceMs = silentSinceMs;
    all.add(this, unreadBytes);
  }

  break(): void {
    this.isBroken = true;
    this.#all.remove(this, this.unreadBytes, true);
  }
}

test.each<[string, number, readonly [bytes: number, silentSinceMs: number][], readonly number[]]>([
  [
    'no stream up to the limit',
    0,
    [
      [60, 0],
      [40, 0],
    ],
    [],
  ],
  [
    'the stream with the most unread bytes first',
    0,
    [
      [30, 0],
      [60, 0],
      [20, 0],
    ],
    [1],
  ],
  [
    'as many streams as necessary',
    0,
    [
      [90, 0],
      [80, 0],
      [70, 0],
    ],
    [0, 1],
  ],
  [
    'clients that read nothing before clients with more unread bytes',
    40_000,
    [
      [90, 39_000],
      [5, 0],
      [8, 0],
    ],
    [2],
  ],
  [
    'the client with the most unread bytes of those that read nothing',
    40_000,
    [
      [95, 39_000],
      [3, 0],
      [4, 0],
      [2, 0],
    ],
    [2],
  ],
  [
    'clients that still read last',
    40_000,
    [
      [95, 39_000],
      [70, 39_000],
      [3, 0],
    ],
    [0, 2],
  ],
])(
  'when unread bytes of all streams exceed their limit, the gateway closes the right streams: %s',
  async (_, now, streams, broken) => {
    const all = new UnreadBytes(100, () => now);
    const waiting = streams.map(([bytes, silentSinceMs]) => new Waiting(all, bytes, silentSinceMs));
    await turn();
    expect(waiting.flatMap(({ isBroken }, index) => (isBroken ? [index] : []))).toEqual(broken);
    expect(all.brokenStreams).toBe(broken.length);
    expect(all.bytes).toBeLessThanOrEqual(100);
  },
);

test('the gateway closes no stream at the limit of unread bytes if a client reads enough within the same turn of the event loop', async () => {
  const all = new UnreadBytes(100);
  const [first, second] = [new Waiting(all, 90), new Waiting(all, 90)];
  all.remove(first, 90, true);
  await turn();
  expect([first.isBroken, second.isBroken, all.bytes, all.brokenStreams]).toEqual([false, false, 90, 0]);
});

test('the stored events of all sessions have one size limit together, and the gateway drops the oldest events beyond it', () => {
  const all = new ReplayStore();
  const sessions = Array.from({ length: 2000 }, () => ({
    buffer: new ReplayBuffer(() => false, all),
    replayStream: [] as ReplayStream,
  }));
  for (let position = 1; position <= 20; position++) {
    for (const { buffer, replayStream } of sessions) buffer.add(replayStream, position, 'x'.repeat(10_000));
    expect(all.bytes).toBeLessThanOrEqual(MAX_ALL_KEPT_BYTES);
  }
  const left = sessions.map(({ replayStream }) =>
    replayStream.filter(({ isKept }) => isKept).map(({ position }) => position),
  );
  expect(left.flat()).toHaveLength(Math.floor(MAX_ALL_KEPT_BYTES / 10_512));
  expect(left[0]).toEqual([18, 19, 20]);
  expect(left.at(-1)).toEqual([17, 18, 19, 20]);
  for (const { buffer, replayStream } of sessions) buffer.forgetStream(replayStream);
  expect(all.bytes).toBe(0);
});

test('even an empty stored event counts toward the limit of stored bytes', () => {
  const all = new ReplayStore(512 * 100);
  const buffer = new ReplayBuffer(() => false, all);
  const replayStream: ReplayStream = [];
  for (let position = 1; position <= 200; position++) buffer.add(replayStream, position, '');
  expect(replayStream.filter(({ isKept }) => isKept)).toHaveLength(100);
});

test('the gateway stores no part of an answer that grows beyond the limit of stored bytes', () => {
  const all = new ReplayStore(10_000);
  const buffer = new ReplayBuffer(() => false, all);
  const replayStream: ReplayStream = [];
  const event = buffer.add(replayStream, 1, 'x'.repeat(5000));
  buffer.grow(event, new Uint8Array(5000));
  expect([event.isKept, all.bytes]).toEqual([false, 0]);
  buffer.grow(event, new Uint8Array(5000));
  expect(all.bytes).toBe(0);
});

/** A connection with a running call and then a notification stream: none of their data can be written. */
async function connectBehind(port: number, session: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const body = '{"jsonrpc":"2.0","id":1,"method":"never"}';
  const head = `Host: localhost\r\nMcp-Session-Id: ${session}\r\n`;
  const call = `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(`${call}GET /mcp HTTP/1.1\r\n${head}Accept: text/event-stream\r\n\r\n`);
  return socket;
}

test('thousands of clients that read nothing fill no more than a limited amount of memory, and clients that read lose no event', async () => {
  const [stalled, rounds] = [2000, 40];
  const unread = new UnreadBytes();
  const gateway = await startGateway({ never: () => {} }, { unread });
  const { url, listener, sessions, heard, endpoint } = gateway;
  const reading = [await initialize(url), await initialize(url)];
  const readers = await Promise.all(
    reading.map(id => open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': id })),
  );
  const read = readers.map(reader => readUntil(reader, `"round":${rounds},`));
  const ids: string[] = [];
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let n = 0; n < stalled; n++) {
    const id = await initialize(url);
    ids.push(id);
    sockets.push(await connectBehind(listener.address.port, id));
  }
  await vi.waitFor(() => expect(heard.filter(line => line.startsWith('listening'))).toHaveLength(stalled + 2));
  const before = process.memoryUsage();
  const pad = 'x'.repeat(8 * 1024);
  for (let round = 1; round <= rounds; round++) {
    const message = `{"jsonrpc":"2.0","method":"notifications/message","params":{"round":${round},"pad":"${pad}"}}`;
    for (const session of sessions) session.send(message);
    await turn();
    await turn();
    expect(unread.bytes).toBeLessThanOrEqual(MAX_ALL_UNREAD_BYTES);
    expect(endpoint.keptBytes).toBeLessThanOrEqual(MAX_ALL_KEPT_BYTES);
  }
  // Clients that read get all messages, in order.
  for (const text of await Promise.all(read)) {
    const seen = [...text.matchAll(/"round":(\d+),/g)].map(([, round]) => Number(round));
    expect(seen).toEqual(Array.from({ length: rounds }, (_, index) => index + 1));
  }
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  // The two limits, and garbage that V8 has not collected yet; without limits it would be 1.2 GiB.
  expect(grown).toBeLessThan(500 * MIB);
  expect(unread.brokenStreams).toBeGreaterThan(1000);
  expect(unread.brokenStreams).toBeLessThanOrEqual(stalled);
  const broken = ids[sockets.findIndex(({ destroyed, readableEnded }) => destroyed || readableEnded)];
  const back = { Accept: 'text/event-stream', 'Mcp-Session-Id': broken, 'Last-Event-ID': '1-0' };
  const resumed = await readUntil(await open(url, 'GET', back), `"round":${rounds},`);
  expect(resumed).toContain(`id: 1-${rounds}\n`);
});

test('the gateway sends no more heartbeats on a stream that its client has stopped reading', async () => {
  const unread = new UnreadBytes();
  const { url, listener, heard } = await startGateway({ never: () => {} }, { unread, heartbeatMs: 1 });
  const id = await initialize(url);
  const socket = await connectBehind(listener.address.port, id);
  onTestFinished(() => void socket.destroy());
  await vi.waitFor(() => expect(heard).toContain('listening payload'));
  const atFirst = unread.bytes;
  const reader = await open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': id });
  await readUntil(reader, ': ping\n\n'.repeat(20));
  expect(atFirst).toBeGreaterThan(0);
  expect(unread.bytes).toBeLessThan(2 * atFirst);
  socket.destroy();
  reader.destroy();
  await vi.waitFor(() => expect(unread.bytes).toBe(0));
});
