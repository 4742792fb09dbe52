import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { MAX_RUNNING_REQUESTS } from '../../../runtime/mcp/running-requests.ts';
import { eventually } from '../../support/process.ts';
import { ask } from '../stateless-edge/requests.ts';
import { call, initialize, initializeText, open, post, send, startGateway } from './fake-gateway.ts';
import { fakeStatelessCore } from './fake-stateless.ts';

const PING = '{"jsonrpc":"2.0","id":7,"method":"ping"}';
/** The message `PING` with these bytes in one of its strings. */
const inString = (...bytes: number[]): Uint8Array =>
  Buffer.concat([Buffer.from(`${PING.slice(0, -1)},"params":{"x":"`), Buffer.from(bytes), Buffer.from('"}}')]);
const UNKNOWN = '6f1f8f0e-0000-4000-8000-000000000000';
const JSON_TYPE = 'application/json';

interface Row {
  readonly name: string;
  readonly method?: string;
  /** `SESSION` in a header is replaced by a live session's id. */
  readonly headers?: { readonly [name: string]: string | undefined };
  readonly body?: string | Uint8Array;
  readonly status: number;
  readonly code: number;
  readonly id?: unknown;
}

const rows: readonly Row[] = [
  { name: 'no Content-Type', headers: { 'Content-Type': undefined }, status: 415, code: -32600 },
  { name: 'a form', headers: { 'Content-Type': 'text/plain' }, status: 415, code: -32600 },
  { name: 'a compressed body', headers: { 'Content-Encoding': 'gzip' }, status: 415, code: -32600 },
  { name: 'an Accept of neither JSON nor events', headers: { Accept: 'text/html' }, status: 406, code: -32600 },
  { name: 'no body', body: '', status: 400, code: -32700 },
  { name: 'not JSON', body: '{', status: 400, code: -32700 },
  { name: 'not UTF-8', body: Uint8Array.of(0x22, 0xff, 0x22), status: 400, code: -32700 },
  { name: 'a byte order mark', body: `\ufeff${PING}`, status: 400, code: -32700 },
  { name: 'a byte order mark before a batch', body: `\ufeff[${PING}]`, status: 400, code: -32700 },
  { name: 'a byte order mark after a space', body: ` \ufeff${PING}`, status: 400, code: -32700 },
  { name: 'two byte order marks', body: `\ufeff\ufeff${PING}`, status: 400, code: -32700 },
  { name: 'UTF-16, little-endian', body: Buffer.from(PING, 'utf16le'), status: 400, code: -32700 },
  { name: 'UTF-16, big-endian', body: Buffer.from(PING, 'utf16le').swap16(), status: 400, code: -32700 },
  { name: 'UTF-16 with a byte order mark', body: Buffer.from(`\ufeff${PING}`, 'utf16le'), status: 400, code: -32700 },
  {
    name: 'UTF-16 that the Content-Type names',
    headers: { 'Content-Type': 'application/json; charset=utf-16' },
    body: Buffer.from(PING, 'utf16le'),
    status: 400,
    code: -32700,
  },
  { name: 'an overlong UTF-8 form', body: inString(0xc0, 0xa2), status: 400, code: -32700 },
  { name: 'a surrogate in UTF-8', body: inString(0xed, 0xa0, 0x80), status: 400, code: -32700 },
  { name: 'half a character', body: inString(0xe2, 0x82), status: 400, code: -32700 },
  { name: 'a character beyond Unicode', body: inString(0xf5, 0x80, 0x80, 0x80), status: 400, code: -32700 },
  { name: 'Latin-1', body: inString(0xe9), status: 400, code: -32700 },
  { name: 'a batch', body: `[${PING}]`, status: 400, code: -32600 },
  { name: 'a null id', body: PING.replace('7', 'null'), status: 400, code: -32600 },
  { name: 'params that are a list', body: PING.replace('}', ',"params":[]}'), status: 400, code: -32602, id: 7 },
  { name: 'no session id', status: 400, code: -32600, id: 7 },
  {
    name: 'a notification without a session id',
    body: '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    status: 400,
    code: -32600,
  },
  { name: 'an unknown session', headers: { 'Mcp-Session-Id': UNKNOWN }, status: 404, code: -32001, id: 7 },
  {
    name: 'an unknown revision',
    headers: { 'Mcp-Session-Id': 'SESSION', 'MCP-Protocol-Version': '2024-11-05' },
    status: 400,
    code: -32022,
    id: 7,
  },
  {
    name: 'initialize in a session',
    headers: { 'Mcp-Session-Id': 'SESSION' },
    body: initializeText(),
    status: 400,
    code: -32600,
    id: 'init',
  },
  {
    name: 'initialize in an unknown session',
    headers: { 'Mcp-Session-Id': UNKNOWN },
    body: initializeText(),
    status: 404,
    code: -32001,
    id: 'init',
  },
  {
    name: 'initialize without a revision',
    body: initializeText({ protocolVersion: undefined }),
    status: 400,
    code: -32602,
    id: 'init',
  },
  {
    name: 'an initialize that fails with an MCP error',
    body: initializeText({ refuse: true }),
    status: 400,
    code: -32602,
    id: 'init',
  },
  {
    name: 'an initialize that fails with an internal error',
    body: initializeText({ crash: true }),
    status: 500,
    code: -32603,
    id: 'init',
  },
  { name: 'a foreign Origin', headers: { Origin: 'https://evil.example.com' }, status: 403, code: -32000 },
  { name: 'a foreign Host', headers: { Host: 'evil.example.com' }, status: 403, code: -32000 },
  { name: 'GET without Accept', method: 'GET', headers: { Accept: undefined }, status: 406, code: -32600 },
  { name: 'GET for JSON', method: 'GET', headers: { Accept: JSON_TYPE }, status: 406, code: -32600 },
  { name: 'GET without a session', method: 'GET', status: 400, code: -32600 },
  {
    name: 'GET of an unknown session',
    method: 'GET',
    headers: { 'Mcp-Session-Id': UNKNOWN },
    status: 404,
    code: -32001,
  },
  { name: 'DELETE without a session', method: 'DELETE', status: 400, code: -32600 },
  {
    name: 'DELETE of an unknown session',
    method: 'DELETE',
    headers: { 'Mcp-Session-Id': UNKNOWN },
    status: 404,
    code: -32001,
  },
  { name: 'PUT', method: 'PUT', status: 405, code: -32000 },
  { name: 'OPTIONS', method: 'OPTIONS', status: 405, code: -32000 },
];

test.each(rows)(
  'the gateway refuses a request: $name (HTTP $status, $code)',
  async ({ method = 'POST', headers = {}, body = PING, status, code, id }) => {
    const { url } = await startGateway();
    const session = await initialize(url);
    const entries = Object.entries({
      'Content-Type': JSON_TYPE,
      Accept: `${JSON_TYPE}, text/event-stream`,
      ...headers,
    });
    const sent = Object.fromEntries(entries.map(([name, value]) => [name, value === 'SESSION' ? session : value]));
    const reply = await send(url, method, sent, method === 'POST' ? body : undefined);
    const message = JSON.parse(reply.text);
    expect({ status: reply.status, code: message.error.code, id: message.id }).toEqual({
      status,
      code,
      id: id ?? null,
    });
    expect(reply.text).not.toContain('secret');
    expect(reply.headers).toMatchObject({
      'content-type': JSON_TYPE,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    if (status === 405) expect(reply.headers.allow).toBe('GET, POST, DELETE');
    if (code === -32022) {
      expect(message.error.data).toMatchObject({ supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'] });
    }
  },
);

test('the gateway refuses HEAD without a body', async () => {
  const { url } = await startGateway();
  expect(await send(url, 'HEAD', {})).toMatchObject({ status: 405, text: '' });
});

test('the gateway refuses a body above the size limit, with or without Content-Length, and disconnects a client that goes on sending', async () => {
  const { url, listener } = await startGateway({}, { maxBodyBytes: 1000 });
  expect(await post(url, 'x'.repeat(1500))).toMatchObject({ status: 413 });
  expect(await post(url, 'x'.repeat(1500), { 'Transfer-Encoding': 'chunked' })).toMatchObject({ status: 413 });
  const padded = initializeText().padEnd(1000);
  expect(await post(url, padded)).toMatchObject({ status: 200 });
  // The time limit ends: the connection is closed while the client is still sending.
  const socket = connect(listener.address.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n',
  );
  const filler = setInterval(() => socket.write('x'.repeat(500)), 5);
  await new Promise(resolve => socket.once('close', resolve));
  clearInterval(filler);
});

test('a client that disconnects in the middle of a request body leaves no running request in the gateway', async () => {
  const { url, listener, endpoint, openAnswers } = await startGateway();
  const socket = connect(listener.address.port, '127.0.0.1');
  socket.write(
    'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"jsonrpc"',
  );
  await eventually(() => openAnswers() === 1);
  socket.destroy();
  await eventually(() => openAnswers() === 0);
  expect(await post(url, initializeText())).toMatchObject({ status: 200 });
  expect(endpoint.sessionCount).toBe(1);
});

test('at the session limit, the gateway refuses a new session until an open session ends', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let arrived = 0;
  const opening = {
    session: 'payload',
    result: JSON.stringify({
      protocolVersion: '2025-06-18',
      capabilities: {},
      serverInfo: { name: 'fake', version: '1' },
    }),
  };
  const openLater = async () => {
    arrived++;
    await held;
    return opening;
  };
  const { url } = await startGateway({}, { maxSessions: 4 }, { initialize: openLater }); // Half of them are for one address.
  const slow = [post(url, initializeText()), post(url, initializeText())];
  await eventually(() => arrived === 2);
  const refused = await post(url, initializeText());
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('30');
  expect(JSON.parse(refused.text)).toMatchObject({ id: 'init', error: { code: -32000 } });
  release();
  const opened = (await Promise.all(slow)).map(({ headers }) => headers['mcp-session-id'] as string);
  for (const id of opened) expect(await call(url, id, 'ping')).toMatchObject({ status: 200 });
  const [session] = opened as [string];
  expect(await post(url, initializeText())).toMatchObject({ status: 503 });
  expect(await send(url, 'DELETE', { 'Mcp-Session-Id': session })).toMatchObject({ status: 204, text: '' });
  expect(await post(url, initializeText())).toMatchObject({ status: 200 });
  expect(await call(url, session, 'ping')).toMatchObject({ status: 404 });
});

test('the gateway refuses a fifth GET stream in one session', async () => {
  const { url } = await startGateway();
  const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': await initialize(url) };
  for (let n = 0; n < 4; n++) expect((await open(url, 'GET', headers)).statusCode).toBe(200);
  expect(await send(url, 'GET', headers)).toMatchObject({ status: 409 });
});

test('the gateway accepts a request with an allowed origin as Origin header, or with the host of this origin as Host header', async () => {
  const { url } = await startGateway({}, { allowedOrigins: ['https://chat.example.com'] });
  expect(await post(url, initializeText(), { Origin: 'https://chat.example.com' })).toMatchObject({ status: 200 });
  expect(await post(url, initializeText(), { Host: 'chat.example.com' })).toMatchObject({ status: 200 });
  expect(await post(url, initializeText(), { Origin: 'https://evil.example.com' })).toMatchObject({ status: 403 });
});

test('the gateway refuses headers above the size limit with 431', async () => {
  const { url } = await startGateway();
  const headers = { 'X-Long': 'x'.repeat(1024 * 1024) };
  expect(await post(url, initializeText(), headers)).toMatchObject({ status: 431 });
  expect(await post(url, initializeText())).toMatchObject({ status: 200 });
});

test.each([
  [990, 200],
  [1_000, 431],
  [20_000, 431],
])('the gateway answers a request with %i additional headers with HTTP %i', async (count, status) => {
  const { url } = await startGateway();
  const more = Array.from({ length: count }, (_, index) => [`x-${index}`, '1']);
  const headers = { Host: new URL(url).host, ...Object.fromEntries(more) };
  expect(await post(url, initializeText(), headers)).toMatchObject({ status });
});

test('at the limit of running requests, the gateway refuses a request until a running request ends', async () => {
  const answers: ClientResponder[] = [];
  const { url } = await startGateway({ slow: answer => void answers.push(answer) });
  const session = await initialize(url, '2025-03-26');
  const headers = { 'Mcp-Session-Id': session };
  const batches = Array.from({ length: Math.ceil(MAX_RUNNING_REQUESTS / 64) }, (_, batch) => {
    const ids = Array.from({ length: 64 }, (_, n) => batch * 64 + n);
    return post(url, `[${ids.map(id => `{"jsonrpc":"2.0","id":${id},"method":"slow"}`).join(',')}]`, headers);
  });
  await vi.waitFor(() => expect(answers).toHaveLength(MAX_RUNNING_REQUESTS));
  const refused = await call(url, session, 'ping', '"more"');
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text)).toMatchObject({ id: 'more', error: { code: -32000 } });
  expect(await call(url, await initialize(url), 'ping')).toMatchObject({ status: 200 });
  for (const answer of answers) answer.result('{}');
  await Promise.all(batches);
  expect(await call(url, session, 'ping', '"more"')).toMatchObject({ status: 200 });
});

test('at the limit of running requests, the gateway refuses a stateless request until a running request ends', async () => {
  const answers: ClientResponder[] = [];
  const stateless = fakeStatelessCore({ behaviours: { 'tools/call': answer => void answers.push(answer) } });
  const { url, breakAnswers } = await startGateway({}, { stateless, maxRunning: 3 });
  const slow = () => ask(url, { method: 'tools/call', params: { name: 'slow' }, id: 's' });
  const list = () => ask(url, { method: 'tools/list', id: 'more' });
  const running = [slow(), slow(), slow()];
  await vi.waitFor(() => expect(answers.length).toBe(3));
  const refused = await list();
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([429, { id: 'more', error: { code: -32000 } }]);
  answers[0]?.result('{}');
  await running[0];
  for (let n = 0; n < 5; n++) expect(await list()).toMatchObject({ status: 200 });
  // Clients that disconnect have no running requests.
  breakAnswers();
  await Promise.allSettled(running);
  await vi.waitFor(() => expect(answers.filter(answer => answer.aborted).length).toBe(2));
  const next = [slow(), slow(), slow()];
  await vi.waitFor(() => expect(answers.length).toBe(6));
  expect(await list()).toMatchObject({ status: 429 });
  for (const answer of answers) answer.result('{}');
  await Promise.all(next);
});
