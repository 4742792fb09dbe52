/** What the gateway must do for callers over each transport to a backend, with servers made with the official SDK. */

import { afterEach, describe, expect, test } from 'vitest';
import type { BackendTransport } from '#schemas';
import { requestResult } from '../../../runtime/gateway/backends/collect.ts';
import { RpcError } from '../../../runtime/gateway/backends/rpc-error.ts';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
import { connectionsToGone } from '../../support/client-connections.ts';
import { type SdkServer, type SdkServerOptions, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { Edge, eventually, planFor, RecordingSink, send } from './harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

interface Peer {
  start(options: Pick<SdkServerOptions, 'name'>): Promise<SdkServer>;
  readonly transport?: BackendTransport;
  readonly revision: string;
  /** Progress and requests of the backend may precede a response. */
  readonly streams: boolean;
}

const sdk = (options: SdkServerOptions) => (more: object) => startSdkServer({ ...options, ...more });

const PEERS: readonly [name: string, peer: Peer][] = [
  [
    'streamable HTTP, event streams',
    { start: sdk({ transport: 'streamable-http' }), revision: '2025-11-25', streams: true },
  ],
  [
    'streamable HTTP, JSON bodies',
    { start: sdk({ transport: 'streamable-http', json: true }), revision: '2025-11-25', streams: false },
  ],
  ['HTTP+SSE', { start: sdk({ transport: 'sse' }), transport: 'sse', revision: '2025-11-25', streams: true }],
  ['HTTP+SSE, detected', { start: sdk({ transport: 'sse' }), revision: '2025-11-25', streams: true }],
  ['stateless', { start: startStatelessServer, revision: '2026-07-28', streams: true }],
  [
    'stateless, where sessions are served too',
    { start: more => startStatelessServer({ isDual: true, ...more }), revision: '2026-07-28', streams: true },
  ],
];

describe.each(PEERS)('%s', (_name, peer) => {
  const isStateless = peer.revision === '2026-07-28';

  async function connect(timeoutMs?: number, more: Pick<SdkServerOptions, 'name'> = {}) {
    const server: SdkServer = await edge.server(peer.start(more));
    return { server, session: edge.session(planFor(server.url, peer.transport, timeoutMs)) };
  }

  test('opening a session with a backend returns the name and version of the backend', async () => {
    const { session } = await connect(undefined, { name: 'alpha' });
    const identity = await session.open();
    expect(identity.serverInfo).toEqual({ name: 'alpha', version: '1.0.0' });
    expect(identity.protocolVersion).toBe(peer.revision);
    expect(identity.capabilities).toMatchObject({ tools: { listChanged: true } });
  });

  test('the gateway sends nothing to a backend before the first request to it', async () => {
    const { server } = await connect();
    expect(server.initializations).toBe(0);
  });

  test('twenty concurrent first requests to a backend cause one initialize request', async () => {
    const { server, session } = await connect();
    const sinks = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(session, 'tools/call', { name: 'echo', arguments: { n } })),
    );
    expect(server.initializations).toBe(1);
    const texts = sinks.map(sink => JSON.parse(sink.text).result.content[0].text);
    expect(texts).toEqual(Array.from({ length: 20 }, (_, n) => JSON.stringify({ n })));
    for (const sink of sinks)
      expect(sink.length === undefined || sink.length === Buffer.concat(sink.chunks).length).toBe(true);
  });

  test('the gateway returns the response of a backend with the request id exactly as the client sent it', async () => {
    const { session } = await connect();
    for (const id of ['7', '"seven"', '"a\\"b"', '"ü"', '0']) {
      const sink = await send(session, 'tools/call', { name: 'echo' }, { id });
      expect(JSON.parse(sink.text).id).toBe(JSON.parse(id));
    }
  });

  test('a large response of a backend arrives whole', async () => {
    const { session } = await connect();
    const blob = 'ä\n"\\'.repeat(300_000);
    const sink = await send(session, 'tools/call', { name: 'echo', arguments: { blob } });
    expect(JSON.parse(JSON.parse(sink.text).result.content[0].text)).toEqual({ blob });
  });

  test('a call gets the JSON-RPC error of its backend unchanged', async () => {
    const { session } = await connect();
    const sink = await send(session, 'no/such/method');
    expect(sink.ended).toBe(true);
    expect(JSON.parse(sink.text).error).toEqual({ code: -32601, message: 'Method not found' });
  });

  test('requestResult returns the result of a backend, or throws the error of the backend with its own code and message', async () => {
    const { session } = await connect();
    const result = await requestResult(session, 'prompts/get', { name: 'greet', arguments: { who: 'me' } });
    expect(result).toMatchObject({ messages: [{ content: { text: 'greet me' } }] });
    const failure = await requestResult(session, 'no/such/method', {}).catch(error => error);
    expect(failure).toBeInstanceOf(RpcError);
    expect(failure).toMatchObject({ code: -32601, message: 'Method not found', data: undefined });
  });

  test('requestResult refuses a response above its limit', async () => {
    const { session } = await connect();
    const call = { name: 'echo', arguments: { blob: 'x'.repeat(10_000) } };
    const failure = await requestResult(session, 'tools/call', call, { maxBytes: 1_000 }).catch(error => error);
    expect(failure).toMatchObject({
      reason: 'too_large',
      message: 'backend "peer": the answer is larger than allowed',
    });
  });

  test.skipIf(!peer.streams)(
    'a call gets its progress notifications before the response of the backend, and a concurrent call gets none of them',
    async () => {
      const { session } = await connect();
      await session.open();
      const call = { name: 'progress', _meta: { progressToken: 'token-1' } };
      const [sink, other] = await Promise.all([
        send(session, 'tools/call', call),
        send(session, 'tools/call', { name: 'echo' }),
      ]);
      const progress = sink.messages.map(text => JSON.parse(text).params);
      expect(progress).toEqual([1, 2, 3].map(n => ({ progressToken: 'token-1', progress: n, total: 3 })));
      expect(other.messages).toEqual([]);
    },
  );

  test.skipIf(!peer.streams || isStateless)('the gateway answers a ping of a backend', async () => {
    const { session } = await connect();
    const sink = await send(session, 'tools/call', { name: 'ping_client' });
    expect(JSON.parse(sink.text).result.content[0].text).toBe('pong');
  });

  test.skipIf(!peer.streams || isStateless)(
    'the gateway answers a request of a backend, other than ping, with an error when no client accepts it',
    async () => {
      const { session } = await connect();
      const sink = await send(session, 'tools/call', { name: 'elicit' });
      expect(JSON.parse(sink.text).result.content[0].text).toBe('refused with -32601');
    },
  );

  test('a call to a backend that does not answer times out, and the gateway sends the backend a cancellation', async () => {
    const { server, session } = await connect(300);
    await session.open();
    const sink = await send(session, 'tools/call', { name: 'slow' });
    expect(sink.error).toBeInstanceOf(BackendError);
    expect(sink.error?.reason).toBe('timeout');
    expect(sink.error?.message).toBe('backend "peer": did not answer within 300ms');
    await eventually(() => server.cancelled === 1);
    expect((await send(session, 'tools/call', { name: 'echo' })).ended).toBe(true);
  });

  test('an aborted request to a backend fails, and other requests succeed', async () => {
    const { session } = await connect();
    await session.open();
    const stop = new AbortController();
    const slow = send(session, 'tools/call', { name: 'slow' }, { signal: stop.signal });
    const echo = send(session, 'tools/call', { name: 'echo' });
    stop.abort();
    expect((await slow).error?.reason).toBe('aborted');
    expect((await echo).ended).toBe(true);
    const never = await send(session, 'tools/call', { name: 'echo' }, { signal: stop.signal });
    expect(never.error?.reason).toBe('aborted');
  });

  test('the gateway receives a list_changed notification of a backend', async () => {
    const { server, session } = await connect();
    const heard: string[] = [];
    session.listen({ message: ({ text }) => heard.push(text) });
    await session.open();
    // The notification stream opens asynchronously; an earlier change reaches no listener.
    await eventually(() => {
      void server.setTools([{ name: 'fresh' }]);
      return heard.length > 0;
    });
    expect(JSON.parse(heard[0] ?? '')).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  });

  test('the gateway still receives notifications of a backend after a lost connection', async () => {
    const { server, session } = await connect();
    const heard: string[] = [];
    session.listen({ message: ({ text }) => heard.push(text) });
    await eventually(() => {
      void server.setTools([]).catch(() => {});
      return heard.length > 0;
    });
    server.dropConnections();
    heard.length = 0;
    await eventually(() => {
      void server.setTools([]).catch(() => {});
      return heard.length > 0;
    });
  });

  test('closing a session fails its running requests and all later requests', async () => {
    const { server, session } = await connect();
    await session.open();
    const slow = send(session, 'tools/call', { name: 'slow' });
    await session.close();
    expect((await slow).error?.reason).toBe('aborted');
    expect((await send(session, 'ping')).error?.message).toBe('backend "peer": the session is closed');
    await expect(session.open()).rejects.toMatchObject({ reason: 'aborted' });
    await eventually(() => server.openSessions === 0);
    await session.close();
  });

  test('a request to a backend that has stopped fails with the cause', async () => {
    const { server, session } = await connect();
    await server.close();
    const sink = await send(session, 'ping');
    expect(sink.error?.reason).toBe('connection_failed');
    expect(sink.error?.message).toBe('backend "peer": the connection failed (ECONNREFUSED)');
  });

  test('requests reach a backend again after its restart', async () => {
    const { server, session } = await connect();
    await session.open();
    server.forgetSessions();
    const noticed = connectionsToGone(server.port);
    server.dropConnections();
    await eventually(() => server.openSessions === 0);
    await noticed;
    expect((await send(session, 'tools/call', { name: 'echo' }, { sink: new RecordingSink() })).ended).toBe(true);
    // Without sessions nothing has to be opened again.
    expect(server.initializations).toBe(isStateless ? 1 : 2);
  });
});
