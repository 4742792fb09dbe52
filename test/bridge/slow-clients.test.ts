/** Clients that send their request slowly, byte by byte. */
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer, SERVER_TIMES, type ServerTimes } from '../../bridge/http/create-server.ts';

const TIMES: ServerTimes = { headersMs: 200, requestMs: 500, idleMs: 60_000 };
/** A time limit that also holds on a busy machine. */
const PATIENT: ServerTimes = { headersMs: 3_000, requestMs: 3_000, idleMs: 60_000 };
const LATE_MS = 5_000;

async function startServer(times = TIMES): Promise<number> {
  const server = createHttpServer((req, res) => {
    req.resume().once('end', () => setTimeout(() => res.end('late'), LATE_MS));
  }, times);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** All bytes that the server sends until it closes the connection. */
function answerTo(port: number, begin: string, more: string): Promise<string> {
  return new Promise(resolve => {
    let text = '';
    let drip: NodeJS.Timeout;
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(begin);
      drip = setInterval(() => socket.write(more), 50);
    });
    socket.on('error', () => {}).on('data', data => (text += data));
    socket.once('close', () => {
      clearInterval(drip);
      resolve(text);
    });
  });
}

test.each([
  ['anything', '', ''],
  ['the head of its request', 'POST / HTTP/1.1\r\nHost: a\r\n', 'X-A: b\r\n'],
  ['the body of its request', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n', 'x'],
])('the bridge disconnects a client that never finishes sending %s', async (_what, begin, more) => {
  expect(await answerTo(await startServer(), begin, more)).toMatch(/^(?:HTTP\/1\.1 408 Request Timeout|$)/);
});

test("the bridge's time limit for a client to send its request does not limit how long the answer may take", async () => {
  const answered = await fetch(`http://127.0.0.1:${await startServer(PATIENT)}`, { method: 'POST', body: 'whole' });
  expect(await answered.text()).toBe('late');
});

test('the time limits of the bridge are 10 s for headers, 30 s for a request and 120 s for an idle connection', () => {
  expect(SERVER_TIMES).toEqual({ headersMs: 10_000, requestMs: 30_000, idleMs: 120_000 });
});
