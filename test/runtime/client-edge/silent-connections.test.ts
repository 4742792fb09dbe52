/** Connections without data, or with data that comes too slowly, are closed; those that wait for a response are not. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { LISTENER_TIMES, type ListenerTimes } from '../../../runtime/http/listener.ts';
import { initialize, startGateway } from './fake-gateway.ts';

const NEVER = 3_600_000;
const LONG: ListenerTimes = { headersMs: NEVER, requestMs: NEVER, idleMs: NEVER, unreadMs: NEVER };
const BODY = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function raw(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Reads until the other side closes. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}

const head = (session: string, length: number, method = 'POST') =>
  `${method} /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: ${session}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n`;

const SILENT: readonly [string, Partial<ListenerTimes>, (session: string) => string, RegExp][] = [
  ['sends nothing', { headersMs: 50 }, () => '', /^HTTP\/1.1 408 |^$/],
  ['begins a request and stops', { headersMs: 50 }, () => 'POST /mcp HT', /^HTTP\/1.1 408 /],
  ['stops within its headers', { headersMs: 50 }, session => head(session, 10), /^HTTP\/1.1 408 /],
  [
    'stops within the body',
    { headersMs: 50, requestMs: 100 },
    session => `${head(session, 100)}\r\n{"json`,
    /^HTTP\/1.1 408 /,
  ],
  [
    'sends no second request',
    { idleMs: 50 },
    session => `${head(session, BODY.length)}\r\n${BODY}`,
    /^HTTP\/1.1 200 [\s\S]*"result":{}}$/,
  ],
  [
    'sends a part of a second request',
    // Within this time, a busy machine must answer the first request.
    { headersMs: 2_000 },
    session => `${head(session, BODY.length)}\r\n${BODY}POST /mcp`,
    /^HTTP\/1.1 200 [\s\S]*HTTP\/1.1 408 /,
  ],
];

test.each(SILENT)('the gateway disconnects a client that %s', async (_, times, said, heard) => {
  const { url, listener } = await startGateway({}, { times: { ...LONG, ...times } });
  const session = await initialize(url);
  const socket = raw(listener.address.port);
  socket.write(said(session));
  expect(await readToEnd(socket)).toMatch(heard);
});

test('the gateway disconnects a client that sends its headers very slowly', async () => {
  const { url, listener } = await startGateway({}, { times: { ...LONG, headersMs: 100 } });
  const socket = raw(listener.address.port);
  socket.write(head(await initialize(url), 10));
  const drip = setInterval(() => socket.write('X-A: b\r\n'), 10);
  onTestFinished(() => clearInterval(drip));
  socket.on('error', () => {});
  expect(await readToEnd(socket).catch(() => 'reset')).toMatch(/^HTTP\/1.1 408 |reset/);
});

test('the gateway disconnects a client that does not read its answer', async () => {
  const answer = `"${'x'.repeat(32 * 1024 * 1024)}"`;
  const gateway = await startGateway({ large: to => to.result(answer) }, { times: { ...LONG, unreadMs: 100 } });
  const session = await initialize(gateway.url);
  const socket = raw(gateway.listener.address.port);
  socket.pause().on('error', () => {});
  socket.write(`${head(session, BODY.length + 1)}\r\n${BODY.replace('ping', 'large')}`);
  while (gateway.openAnswers() === 0) await sleep(5);
  while (gateway.openAnswers() > 0) await sleep(5);
  expect((await readToEnd(socket).catch(() => '')).length).toBeLessThan(answer.length);
});

test('the gateway does not disconnect a client that reads its answer slowly in pieces, and sends the next answer to it', async () => {
  const answer = `"${'x'.repeat(32 * 1024 * 1024)}"`;
  const unreadMs = 2_000;
  const gateway = await startGateway({ large: to => to.result(answer) }, { times: { ...LONG, unreadMs } });
  const socket = raw(gateway.listener.address.port);
  const call = `${head(await initialize(gateway.url), BODY.length + 1)}\r\n${BODY.replace('ping', 'large')}`;
  // More than the kernel buffers, so the gateway notices that the client reads.
  const piece = answer.length / 5;
  for (const pauseMs of [unreadMs / 4, 0]) {
    socket.write(call);
    let [length, pauses] = [0, 0];
    while (length < answer.length) {
      expect(socket.destroyed, `after ${length} bytes`).toBe(false);
      const chunk = socket.read() as Buffer | null;
      length += chunk?.length ?? 0;
      if (length > pauses * piece) {
        pauses += 1;
        await sleep(pauseMs);
      } else if (chunk === null) await sleep(1);
    }
  }
});

test('a client that waits for a long call, or for events on a stream, stays connected', async () => {
  const finish = Promise.withResolvers<void>();
  const gateway = await startGateway(
    { slow: to => void finish.promise.then(() => to.result('{}')) },
    // A busy machine must receive the two requests within this time.
    { times: { headersMs: 500, requestMs: 500, idleMs: 50, unreadMs: 50 }, heartbeatMs: NEVER },
  );
  const session = await initialize(gateway.url);
  const call = raw(gateway.listener.address.port);
  call.write(`${head(session, BODY.length)}Connection: close\r\n\r\n${BODY.replace('ping', 'slow')}`);
  const stream = raw(gateway.listener.address.port);
  stream.write(
    `GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: ${session}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  // Meanwhile another connection is closed for its silence several times.
  for (let n = 0; n < 5; n++) await readToEnd(raw(gateway.listener.address.port));
  finish.resolve();
  expect(await readToEnd(call)).toMatch(/^HTTP\/1.1 200 [\s\S]*"result":{}}$/);
  gateway.sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('list_changed')) break;
  }
  expect(text).toContain('event: message');
});

test('the time limits of the gateway for headers, requests, idle connections and unread data are the documented ones', () => {
  expect(LISTENER_TIMES).toEqual({ headersMs: 10_000, requestMs: 30_000, idleMs: 120_000, unreadMs: 300_000 });
});
