import { createLogger } from '#runtime';
import type { BackendPlan, BackendTransport } from '#schemas';
import type { BackendRequest, BackendSession, NamedBackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { BackendEra } from '../../../runtime/gateway/backends/era/era.ts';
import {
  type BackendSessionOptions,
  createBackendSession,
} from '../../../runtime/gateway/backends/era/open-session.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from '../../../runtime/http/client.ts';
import type { BackendError } from '../../../runtime/mcp/backend-error.ts';
import type { Envelope } from '../../../runtime/mcp/envelope.ts';
import type { ResponseSink } from '../../../runtime/mcp/response-sink.ts';

/** A plan for a backend called `peer`. */
export function planFor(url: string, transport: BackendTransport = 'streamable-http', timeoutMs = 60_000): BackendPlan {
  return {
    name: 'peer',
    url,
    transport,
    addresses: 'any',
    timeoutMs,
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: {},
    tools: { prefix: 'peer_', advertise: { type: 'all' }, overrides: {} },
  };
}

/** A sink that stores a response as it arrives. */
export class RecordingSink implements ResponseSink {
  readonly messages: string[] = [];
  readonly chunks: Buffer[] = [];
  length: number | undefined | null = null;
  httpStatus: number | undefined;
  ended = false;
  error: BackendError | undefined;
  readonly done: Promise<void>;
  #resolve: () => void = () => {};

  constructor() {
    this.done = new Promise(resolve => {
      this.#resolve = resolve;
    });
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }

  message({ text }: Envelope): void {
    this.#assertOpen();
    this.messages.push(text);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this.#assertOpen();
    this.length = length;
    this.httpStatus = httpStatus;
  }

  data(chunk: Uint8Array): boolean {
    this.#assertOpen();
    if (this.length === null) throw new Error('data before start');
    this.chunks.push(Buffer.from(chunk));
    return true;
  }

  onDrain(resume: () => void): void {
    resume();
  }

  end(): void {
    this.#assertOpen();
    this.ended = true;
    this.#resolve();
  }

  fail(error: BackendError): void {
    this.#assertOpen();
    this.error = error;
    this.#resolve();
  }

  #assertOpen(): void {
    if (this.ended || this.error !== undefined) throw new Error('called after the end');
  }
}

let lastId = 0;

/** Sends a request with a new numeric id; returns the sink once it has its response or failure. */
export function send(
  session: BackendSession,
  method: string,
  params: unknown = {},
  options: { id?: string; signal?: AbortSignal; sink?: RecordingSink } & Partial<BackendRequest> = {},
): Promise<RecordingSink> {
  const { id = String(++lastId), sink = new RecordingSink(), ...rest } = options;
  const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
  session.request({ text, id, method, ...rest }, sink);
  return sink.done.then(() => sink);
}

/** Clients and sessions that one test opens; closed by `dispose`. */
export class Edge {
  readonly #sessions: NamedBackendSession[] = [];
  readonly #clients: HttpClient[] = [];
  readonly #servers: { close(): Promise<void> }[] = [];

  session(
    plan: BackendPlan,
    client: HttpClient = this.client(),
    options: Pick<BackendSessionOptions, 'era' | 'caller' | 'reconnect'> = {},
  ): NamedBackendSession {
    const session = createBackendSession(plan, client, {
      log: createLogger('silent'),
      version: '0.0.0-test',
      reconnect: { minMs: 20, maxMs: 100 },
      ...options,
    });
    this.#sessions.push(session);
    return session;
  }

  /** Opens a session with a backend that is known to support sessions, so that the gateway does not probe it. */
  sessionful(plan: BackendPlan, client: HttpClient = this.client()): NamedBackendSession {
    return this.session(plan, client, { era: new BackendEra({ known: 'session' }) });
  }

  client(options: Partial<HttpClientOptions> = {}): HttpClient {
    const client = createHttpClient({ addresses: 'any', ...options });
    this.#clients.push(client);
    return client;
  }

  async server<S extends { close(): Promise<void> }>(starting: Promise<S>): Promise<S> {
    const server = await starting;
    this.#servers.push(server);
    return server;
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#sessions.splice(0).map(session => session.close()));
    await Promise.all(this.#clients.splice(0).map(client => client.close()));
    await Promise.all(this.#servers.splice(0).map(server => server.close()));
  }
}

/** Waits until `holds` returns true; rejects after a time that suffices on a machine ten times busier. */
export async function eventually(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 100_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error('it did not happen');
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
