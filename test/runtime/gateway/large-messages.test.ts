/** What the gateway stores of a message must not keep the whole message in memory: V8 represents a substring as a pointer into its string. */
import { once } from 'node:events';
import { type ClientRequest, createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { ResourceSubscriptions } from '../../../runtime/gateway/backends/resource-subscriptions.ts';
import { GATEWAY_SENDER } from '../../../runtime/gateway/backends/sender.ts';
import type { BackendConnection } from '../../../runtime/gateway/connections/connection.ts';
import { SessionPool } from '../../../runtime/gateway/connections/session-pool.ts';
import type { GatewaySession } from '../../../runtime/gateway/sessions/client-session.ts';
import { noteSubscription } from '../../../runtime/gateway/sessions/subscriptions.ts';
import { readBody } from '../../../runtime/http/read-body.ts';
import type { RequestMeta } from '../../../runtime/mcp/envelope.ts';
import { readEnvelope } from '../../../runtime/mcp/read-envelope.ts';
import type { ResponseSink } from '../../../runtime/mcp/response-sink.ts';
import { readCaller } from '../../../runtime/mcp/stateless/caller.ts';
import { ListenStream } from '../../../runtime/mcp/stateless/listen-stream.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MESSAGES = 16;
const MESSAGE_BYTES = 1024 * 1024;

/** A stateless request with large arguments; each is from another client. */
function messageOf(n: number) {
  const prefix = 'io.modelcontextprotocol/';
  const _meta = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientInfo`]: { name: `client number ${n}`, version: '1' },
    [`${prefix}clientCapabilities`]: { experimental: { [`capability-${n}`]: {} } },
  };
  const params = { uri: `test://resources/number/${n}`, _meta, filler: 'x'.repeat(MESSAGE_BYTES) };
  // A flat string, as from a socket.
  const text = Buffer.from(
    JSON.stringify({ jsonrpc: '2.0', id: `request number ${n}`, method: 'resources/subscribe', params }),
  ).toString();
  return readEnvelope(text);
}

type Message = ReturnType<typeof messageOf>;

const connection = {} as BackendConnection;
const sink = {} as ResponseSink;
const session = { subscriptions: new ResourceSubscriptions(), listenToBackend() {} } as unknown as GatewaySession;
const pool = new SessionPool({
  openSession: () => ({ receive() {} }) as unknown as BackendSession,
  endSession: async () => {},
});

const streams: ListenStream[] = [];
const said: (RequestMeta | undefined)[] = [];

test.each<[string, (message: Message) => void]>([
  [
    'the URI of a subscription',
    ({ uri }) => noteSubscription(session, 'resources/subscribe', { connection, originalName: uri?.value ?? '' }, sink),
  ],
  ['the capabilities of a pooled session', message => pool.giveBack(pool.take(readCaller(message), GATEWAY_SENDER))],
  ['the id of a subscription stream', ({ id }) => void streams.push(new ListenStream({} as ServerResponse, id ?? ''))],
  ['the client info of a client', ({ meta }) => void said.push(meta?.content)],
])('the gateway does not keep a whole message in memory for %s', (_, keep) => {
  keep(messageOf(MESSAGES));
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < MESSAGES; n++) keep(messageOf(n));
  collectGarbage();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan((MESSAGES * MESSAGE_BYTES) / 4);
});

test('the gateway does not keep the body of a request while the request runs', async () => {
  const running: ClientRequest[] = [];
  const server = createServer((req, res) =>
    readBody(req, { onText: () => res.flushHeaders(), onError: error => res.destroy(error) }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = async (): Promise<void> => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST' }).end('x'.repeat(MESSAGE_BYTES));
    running.push(sent);
    await once(sent, 'response');
  };
  try {
    await send();
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < MESSAGES; n++) await send();
    const kept = () => {
      collectGarbage();
      return process.memoryUsage().arrayBuffers - before;
    };
    // V8 frees the memory of buffers on a thread of its own, after the collection.
    await expect.poll(kept, { timeout: 20_000, interval: 100 }).toBeLessThan((MESSAGES * MESSAGE_BYTES) / 4);
  } finally {
    for (const sent of running) sent.on('error', () => {}).destroy();
    server.closeAllConnections();
    server.close();
  }
});
