import { idKey } from '../mcp/envelope.ts';
import type { BackendSession } from './backend/backend.ts';
import type { BackendConnection } from './connection.ts';

/** What the gateway keeps for one client session: its own session with each backend that it has called. */
export class GatewaySession {
  readonly #backends = new Map<BackendConnection, BackendSession>();
  /** Requests under way by id, for `notifications/cancelled`. */
  readonly #running = new Map<string, BackendSession>();

  /** The session with a backend, opened on first use. */
  backend(connection: BackendConnection): BackendSession {
    let session = this.#backends.get(connection);
    if (session === undefined) {
      session = connection.openSession();
      this.#backends.set(connection, session);
    }
    return session;
  }

  started(id: string, backend: BackendSession): void {
    this.#running.set(idKey(id), backend);
  }

  finished(id: string): void {
    this.#running.delete(idKey(id));
  }

  /** The backend that works on a request, if one does. */
  backendOf(id: string): BackendSession | undefined {
    return this.#running.get(idKey(id));
  }

  /** Ends the sessions over connections that are about to close. */
  drop(connections: readonly BackendConnection[]): void {
    for (const connection of connections) {
      void this.#backends.get(connection)?.close();
      this.#backends.delete(connection);
    }
  }

  close(): void {
    this.drop([...this.#backends.keys()]);
    this.#running.clear();
  }
}
