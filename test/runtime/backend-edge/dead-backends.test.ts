/** A call whose stream can be resumed, at a backend that is gone: it ends with an error at once. */
import { createServer as createTcpServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import type { HttpClient, RequestSender } from '../../../runtime/http/client.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { eventText, openEvents, type RawHandler, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { Edge, planFor, type RecordingSink, send } from './harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

/** Longer than any test: a test that passes has waited for none of these. */
const NEVER = { minMs: 3_600_000, maxMs: 3_600_000 };

const NUMBERED = `id: e-1\n${eventText('{"jsonrpc":"2.0","method":"notifications/progress","params":{}}')}`;

interface Outcome {
  readonly sink: RecordingSink;
  /** How often the rest of the stream was requested. */
  readonly attempts: number;
}

/** A call whose stream breaks after an event with an id; the rest is requested at `elsewhere`, or from the same server. */
async function callThatBreaks(answerRest: RawHandler, elsewhere?: string): Promise<Outcome> {
  let isCalled = false;
  const shaken = withHandshake((_call, response) => {
    isCalled = true;
    openEvents(response);
    response.write(NUMBERED, () => response.destroy());
  }, 's-1');
  const server = await edge.server(
    startRawServer((request, response) =>
      request.method === 'GET' && isCalled ? answerRest(request, response) : shaken(request, response),
    ),
  );
  const client = edge.client();
  let attempts = 0;
  const calls: RequestSender = {
    dispatch(options, handler) {
      if (options.method !== 'GET') return client.calls.dispatch(options, handler);
      attempts++;
      return client.calls.dispatch(elsewhere === undefined ? options : { ...options, origin: elsewhere }, handler);
    },
  };
  const via: HttpClient = { ...client, calls };
  const era = new BackendEra({ known: 'session' });
  const session = edge.session(planFor(server.origin), via, { era, reconnect: NEVER });
  return { sink: await send(session, 'x', {}, { id: '1' }), attempts };
}

async function listening<S extends Server>(server: S): Promise<number> {
  await listenOnOwnPort(server);
  onTestFinished(() => void server.close());
  return (server.address() as { port: number }).port;
}

/** A local port without a listener. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await listenOnOwnPort(server);
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

test.each([
  ['a refused connection', async () => `http://127.0.0.1:${await closedPort()}`, 'ECONNREFUSED'],
  ['a host name that does not exist', async () => 'http://gone.invalid', '(ENOTFOUND|EAI_AGAIN)'],
  [
    'a certificate that is not trusted',
    async () => `https://127.0.0.1:${await listening(createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }))}`,
    'DEPTH_ZERO_SELF_SIGNED_CERT',
  ],
])('the gateway makes only one attempt at a call after %s', async (_name, place, code) => {
  const { sink, attempts } = await callThatBreaks(() => {}, await place());
  expect(sink.error?.message).toMatch(new RegExp(`^backend "peer": the connection failed \\(${code}\\)$`));
  expect([sink.error?.reason, attempts]).toEqual(['connection_failed', 1]);
});

test.each([
  ['a connection that is reset before the TLS handshake', 'https'],
  ['a connection that is reset', 'http'],
])(
  'the gateway makes a second attempt at a call after %s, because the connection may have been closed while idle',
  async (_name, scheme) => {
    const port = await listening(createTcpServer(socket => socket.once('data', () => socket.resetAndDestroy())));
    const { sink, attempts } = await callThatBreaks(() => {}, `${scheme}://127.0.0.1:${port}`);
    expect([sink.error?.reason, attempts]).toEqual(['connection_failed', 2]);
  },
);

test('a call succeeds at the second attempt when its first connection breaks before the response', async () => {
  let attempts = 0;
  const { sink } = await callThatBreaks((_request, response) => {
    if (++attempts === 1) return void response.destroy();
    openEvents(response);
    response.end(eventText('{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'));
  });
  expect([sink.text, attempts]).toEqual(['{"jsonrpc":"2.0","id":1,"result":{"ok":true}}', 2]);
});
