/** A message that a backend is slow to acknowledge delays nothing else, and the buffer for such messages is limited. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { LARGE_TEXT, MAX_LARGE_TEXTS } from '../../../runtime/http/in-flight-budget.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawRequest,
  type RawServer,
  sendJson,
  startRawServer,
} from '../../support/raw-server.ts';
import { Edge, eventually, planFor, send } from './harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

const TRANSPORTS = ['streamable-http', 'sse'] as const;
type Transport = (typeof TRANSPORTS)[number];

const NOTICE = '{"jsonrpc":"2.0","method":"notifications/x"}';
const ANSWER = '{"jsonrpc":"2.0","id":"q","result":{}}';
const CANCELLATION = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';

/** Messages that a session sends concurrently. */
const AT_ONCE = 8;

/** A backend that answers every request, and acknowledges those that match `isHeld` only when the test releases them. */
class SlowBackend {
  readonly server: RawServer;
  readonly transport: Transport;
  /** Messages that are not acknowledged yet. */
  readonly held: ServerResponse[] = [];
  isHeld: (message: RawRequest['message']) => boolean = () => false;
  readonly #streams = new Map<string, ServerResponse>();

  private constructor(transport: Transport, server: RawServer) {
    this.transport = transport;
    this.server = server;
  }

  static async start(transport: Transport): Promise<SlowBackend> {
    let backend: SlowBackend | undefined;
    const server = await edge.server(startRawServer((request, response) => backend?.take(request, response)));
    backend = new SlowBackend(transport, server);
    return backend;
  }

  get url(): string {
    return this.transport === 'sse' ? `${this.server.origin}/sse` : this.server.origin;
  }

  /** Methods of received messages; `response` for those without. */
  get received(): string[] {
    return this.server.requests
      .filter(({ method }) => method === 'POST')
      .map(({ message }) => message.method ?? 'response');
  }

  count(method: string): number {
    return this.received.filter(received => received === method).length;
  }

  release(): void {
    this.isHeld = () => false;
    for (const response of this.held.splice(0)) response.writeHead(202).end();
  }

  take(request: RawRequest, response: ServerResponse): void {
    const { message, method, path } = request;
    if (method === 'GET' && this.transport === 'sse') {
      const box = `/in?of=${this.#streams.size}`;
      this.#streams.set(box, response);
      openEvents(response);
      response.write(eventText(box, 'endpoint'));
    } else if (method !== 'POST') response.writeHead(405).end();
    else if (this.isHeld(message)) this.held.push(response);
    else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else {
      const result = message.method === 'initialize' ? IDENTITY : {};
      const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
      if (this.transport === 'streamable-http') sendJson(response, answer);
      else {
        response.writeHead(202).end();
        this.#streams.get(path)?.write(eventText(answer));
      }
    }
  }
}

describe.each(TRANSPORTS)('over %s', transport => {
  test.each([
    ['notifications', NOTICE, 'notifications/x', AT_ONCE],
    ['answers', ANSWER, 'response', 64],
    ['cancellations', CANCELLATION, 'notifications/cancelled', 64],
  ])(
    '%s of one client that the backend does not acknowledge do not delay other clients',
    async (_name, text, method, atOnce) => {
      const backend = await SlowBackend.start(transport);
      const client = edge.client();
      const [noisy, other, late] = [1, 2, 3].map(() => edge.session(planFor(backend.url, transport, 60_000), client));
      await Promise.all([noisy?.open(), other?.open()]);
      backend.isHeld = message => (message.method ?? 'response') === method;
      for (let sent = 0; sent < 100; sent++) void noisy?.post(text);
      await eventually(() => backend.held.length === atOnce);

      backend.isHeld = () => false;
      await Promise.all([NOTICE, ANSWER, CANCELLATION].map(message => other?.post(message)));
      expect((await send(late as never, 'x')).text).toContain('"result":{}');
      expect(backend.held.length).toBe(atOnce);
      backend.release();
      await eventually(() => backend.count(method) === 101); // The rest is sent then.
    },
  );

  test('unacknowledged notifications of several clients do not delay answers, cancellations and new sessions', async () => {
    const backend = await SlowBackend.start(transport);
    const client = edge.client({ connections: 2 * AT_ONCE });
    const noisy = Array.from({ length: 4 }, () => edge.session(planFor(backend.url, transport, 60_000), client));
    await Promise.all(noisy.map(session => session.open()));
    backend.isHeld = message => message.method === 'notifications/x';
    for (const session of noisy) for (let sent = 0; sent < AT_ONCE; sent++) void session.post(NOTICE);
    await eventually(() => backend.held.length === 2 * AT_ONCE);

    await Promise.all([ANSWER, CANCELLATION].map(message => noisy[0]?.post(message)));
    const late = edge.session(planFor(backend.url, transport, 60_000), client);
    expect((await send(late, 'x')).text).toContain('"result":{}');
    expect(backend.held.length).toBe(2 * AT_ONCE);
  });

  test('the gateway drops a notification that has waited for a backend as long as the timeout of a call', async () => {
    const backend = await SlowBackend.start(transport);
    const session = edge.session(planFor(backend.url, transport, 300));
    await session.open();
    backend.isHeld = message => message.method === 'notifications/x';
    await Promise.all(Array.from({ length: 3 * AT_ONCE }, () => session.post(NOTICE)));
    expect(backend.count('notifications/x')).toBe(AT_ONCE);
    backend.release();
    await session.post(NOTICE);
    expect(backend.count('notifications/x')).toBe(AT_ONCE + 1);
  });

  test('large messages count toward a memory limit until the backend acknowledges them, and the gateway drops messages beyond this limit', async () => {
    const backend = await SlowBackend.start(transport);
    const client = edge.client();
    const session = edge.session(planFor(backend.url, transport), client);
    await session.open();
    const pad = 'x'.repeat(LARGE_TEXT);
    const large = `{"jsonrpc":"2.0","method":"notifications/x","params":{"pad":"${pad}"}}`;
    const answer = `{"jsonrpc":"2.0","id":"q","result":{"pad":"${pad}"}}`;
    client.texts.take(MAX_LARGE_TEXTS - 2 * large.length);
    backend.isHeld = message => message.params?.pad !== undefined;
    const kept = [session.post(large), session.post(large)];
    await Promise.all([session.post(large), session.post(answer), session.post(NOTICE)]);
    expect((await send(session, 'x', { pad })).error?.reason).toBe('busy');
    await eventually(() => backend.held.length === kept.length);
    backend.release();
    await Promise.all(kept);
    await Promise.all([session.post(answer), session.post(large)]);
    expect((await send(session, 'x', { pad })).text).toContain('"result":{}');
    expect([backend.count('notifications/x'), backend.count('response')]).toEqual([4, 1]);
  });
});
