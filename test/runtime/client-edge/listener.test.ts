import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createLogger } from '#runtime';
import { type Route, startListener } from '../../../runtime/http/listener.ts';
import { eventually } from '../../support/process.ts';
import { initialize, initializeText, open, post, send, startGateway } from './fake-gateway.ts';

const log = createLogger('silent');

test('the gateway serves only the exact path /mcp, with or without a query', async () => {
  const { url } = await startGateway();
  for (const path of ['/mcp/', '/mcp/x', '/MCP', '/%6dcp', '//mcp', '/']) {
    const reply = await send(url.replace('/mcp', path), 'POST', {});
    expect(reply).toMatchObject({ status: 404, text: '{"error":"not_found"}' });
  }
  expect(await post(`${url}?x=1`, initializeText())).toMatchObject({ status: 200 });
});

test('the gateway answers 500 without details when a route throws, and breaks the connection when the headers were already sent', async () => {
  const listener = await startListener({
    host: '127.0.0.1',
    port: 0,
    log,
    routes: new Map<string, Route>([
      [
        '/sync',
        () => {
          throw new Error('secret detail');
        },
      ],
      ['/async', () => Promise.reject(new Error('secret detail'))],
      [
        '/late',
        (_, res) => {
          res.writeHead(200).write('x');
          throw new Error('secret detail');
        },
      ],
    ]),
  });
  const base = `http://127.0.0.1:${listener.address.port}`;
  for (const path of ['/sync', '/async']) {
    expect(await send(base + path, 'GET', {})).toMatchObject({ status: 500, text: '{"error":"internal_error"}' });
  }
  await expect(send(`${base}/late`, 'GET', {})).rejects.toThrow();
  await listener.close(0);
});

test('the gateway fails to listen with EADDRINUSE when its address is in use', async () => {
  const { listener } = await startGateway();
  const { port } = listener.address;
  await expect(startListener({ host: '127.0.0.1', port, routes: new Map(), log })).rejects.toThrow('EADDRINUSE');
});

test('a gateway that shuts down first ends GET streams, finishes running requests and refuses new requests', async () => {
  const started = Promise.withResolvers<void>();
  const running: (() => void)[] = [];
  const { url, listener } = await startGateway({
    slow: answer => {
      started.resolve();
      running.push(() => answer.result('{}'));
    },
  });
  const session = await initialize(url);
  const stream = await open(url, 'GET', { Accept: 'text/event-stream', 'Mcp-Session-Id': session });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': session };
  const slow = new Promise<IncomingMessage>(resolve => {
    request(url, { method: 'POST', headers, agent }, resolve).end('{"jsonrpc":"2.0","id":1,"method":"slow"}');
  });
  await started.promise;
  // A raw connection with a running request, to send another one while the listener drains.
  const socket = connect(listener.address.port, '127.0.0.1');
  const raw = (id: number, method: string): string => {
    const body = `{"jsonrpc":"2.0","id":${id},"method":"${method}"}`;
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: ${session}\r\n`;
    return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  const ended = new Promise(resolve => socket.once('close', resolve));
  socket.write(raw(2, 'slow'));
  await eventually(() => running.length === 2);
  const closed = listener.close(3_600_000);
  for await (const _ of stream); // Ends while both requests run.
  socket.write(raw(3, 'ping'));
  for (const answer of running) answer();
  const res = await slow;
  expect(res).toMatchObject({ statusCode: 200, headers: { connection: 'close' } });
  res.resume();
  await Promise.all([closed, ended]);
  expect(received).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  expect(received).not.toContain('"id":3');
  await expect(send(url, 'POST', {})).rejects.toThrow('ECONNREFUSED');
});

test('a gateway that shuts down answers 503 to a request on a connection that is open for an earlier answer', async () => {
  const headSent = Promise.withResolvers<void>();
  const { url, listener } = await startGateway({
    streaming: answer => {
      answer.message('{"jsonrpc":"2.0","method":"notifications/progress"}');
      headSent.resolve();
      setTimeout(() => answer.result('{}'), 150);
    },
  });
  const session = await initialize(url);
  const socket = connect(listener.address.port, '127.0.0.1');
  const body = '{"jsonrpc":"2.0","id":1,"method":"streaming"}';
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: ${session}\r\n`;
  const message = `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  socket.write(message);
  await headSent.promise;
  const closed = listener.close(100_000);
  socket.write(message.replace('"id":1', '"id":2'));
  let received = '';
  for await (const text of socket.setEncoding('utf8')) received += text;
  await closed;
  expect(received).toMatch(
    /^HTTP\/1.1 200 OK\r\n[\s\S]*"id":1[\s\S]*HTTP\/1.1 503 [\s\S]*Connection: close[\s\S]*shutting_down"}$/,
  );
});

test('a gateway that shuts down closes the connection of a client that does not finish sending its request in time', async () => {
  const { url, listener } = await startGateway();
  const session = await initialize(url);
  const socket = connect(listener.address.port, '127.0.0.1');
  const ended = new Promise(resolve => socket.once('close', resolve));
  let received = '';
  socket.on('data', bytes => {
    received += bytes;
  });
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: ${session}\r\nContent-Length: 100\r\n\r\n{`,
  );
  await new Promise(resolve => setTimeout(resolve, 50));
  await listener.close(100);
  await ended;
  expect(received).toBe('');
});

test('a gateway that shuts down answers a request that does not finish in time, and then closes the connection', async () => {
  const called = Promise.withResolvers<void>();
  const { url, listener } = await startGateway({ never: () => called.resolve() });
  const session = await initialize(url);
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': session };
  const pending = send(url, 'POST', headers, '{"jsonrpc":"2.0","id":1,"method":"never"}');
  await called.promise;
  await listener.close(100);
  expect(await pending).toMatchObject({ status: 200, headers: { connection: 'close' } });
});

test('a gateway that shuts down first sends the rest of an answer that a client reads slowly', async () => {
  const size = 30_000_000;
  const answered = Promise.withResolvers<void>();
  const { url, listener } = await startGateway({
    large: answer => {
      answer.result(`"${'x'.repeat(size)}"`);
      answered.resolve();
    },
  });
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': await initialize(url) };
  const res = await open(url, 'POST', headers, '{"jsonrpc":"2.0","id":1,"method":"large"}');
  await answered.promise;
  const closed = listener.close(100_000);
  await new Promise(resolve => setTimeout(resolve, 100));
  let length = 0;
  for await (const chunk of res) length += chunk.length;
  expect(length).toBeGreaterThan(size);
  await closed;
});
