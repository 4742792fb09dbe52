import type { ClientTraits } from '../mcp/client-traits.ts';
import { idKey } from '../mcp/envelope.ts';
import type { ClientAnswer } from '../mcp/handler.ts';
import type { BackendSession } from './backend/backend.ts';
import type { BackendConnection } from './connection.ts';

/** A request that a backend works on. */
export interface RunningRequest {
  readonly backend: BackendSession;
  readonly answer: ClientAnswer;
}

/** What the gateway keeps for one client session: its own session with each backend that it has called. */
export class GatewaySession {
  readonly client: ClientTraits;
  readonly #backends = new Map<BackendConnection, BackendSession>();
  /** By id, for `notifications/cancelled`. */
  readonly #running = new Map<string, RunningRequest>();
  /** Sessions over connections that a new bundle does without; each ends with its last request. */
  readonly #retired = new Map<BackendSession, BackendConnection>();

  #isClosed = false;

  constructor(client: ClientTraits) {
    this.client = client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The session with a backend, opened on first use. */
  backend(connection: BackendConnection): BackendSession {
    let session = this.#backends.get(connection);
    if (session === undefined) {
      session = connection.openSession(this.client);
      this.#backends.set(connection, session);
    }
    return session;
  }

  started(id: string, request: RunningRequest): void {
    this.#running.set(idKey(id), request);
  }

  finished(id: string): void {
    const key = idKey(id);
    const request = this.#running.get(key);
    this.#running.delete(key);
    if (request !== undefined) this.#endIfIdle(request.backend);
  }

  running(id: string): RunningRequest | undefined {
    return this.#running.get(idKey(id));
  }

  /** Uses these connections no more: sessions over them end as soon as no request runs there. */
  retire(connections: readonly BackendConnection[]): void {
    for (const connection of connections) {
      const session = this.#backends.get(connection);
      if (session === undefined) continue;
      this.#backends.delete(connection);
      this.#retired.set(session, connection);
      this.#endIfIdle(session);
    }
  }

  /** Ends all sessions; requests that run there fail. */
  close(): void {
    this.#isClosed = true;
    this.#running.clear();
    this.retire([...this.#backends.keys()]);
    for (const session of [...this.#retired.keys()]) this.#endIfIdle(session);
  }

  #endIfIdle(session: BackendSession): void {
    const connection = this.#retired.get(session);
    if (connection === undefined || [...this.#running.values()].some(({ backend }) => backend === session)) return;
    this.#retired.delete(session);
    void connection.endSession(session);
  }
}
