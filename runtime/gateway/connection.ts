import { type BackendPlan, canonicalJson, digestOf, type OperationalPlan } from '#schemas';
import { createHttpClient, type HttpClient } from '../http/client.ts';
import { trustBeside } from '../http/trust.ts';
import { type ClientTraits, OURSELVES } from '../mcp/client-traits.ts';
import { STATELESS_REVISION } from '../mcp/revisions.ts';
import type { Logger } from '../observe/log.ts';
import type { BackendSession } from './backend/backend.ts';
import { BackendEra } from './backend/era.ts';
import { createBackendSession } from './backend/open-session.ts';
import { BackendMonitor } from './monitor.ts';
import { LeasePool } from './stateless/lease-pool.ts';

export interface ConnectionOptions {
  readonly health: OperationalPlan['health'];
  /** Our version, for the backend's log. */
  readonly version: string;
  readonly log: Logger;
  /** The connection of a former bundle to the same backend. */
  readonly earlier?: BackendConnection | undefined;
  onChange(): void;
}

/**
 * All that the gateway holds towards one backend: the connection pools, the monitor, and the sessions. It outlives a bundle
 * when the next one reaches the backend in the same way.
 */
export class BackendConnection {
  readonly name: string;
  /** Equal for plans that reach the same backend in the same way, whatever they do with its tools. */
  readonly identity: string;
  readonly monitor: BackendMonitor;
  /** Sessions for clients that have none of their own; for a backend that keeps sessions. */
  readonly leases: LeasePool;
  readonly #isSse: boolean;
  readonly #era: BackendEra = new BackendEra();
  readonly #clients: readonly HttpClient[];
  readonly #openSession: (caller: ClientTraits) => BackendSession;
  readonly #sessions = new Set<BackendSession>();
  #stateless: BackendSession | undefined;
  #onEmpty: () => void = () => {};

  constructor(plan: BackendPlan, { health, version, log, earlier, onChange }: ConnectionOptions) {
    const { name, addresses, caPem } = plan;
    this.name = name;
    this.identity = connectionIdentity(plan);
    this.#isSse = plan.transport === 'sse';
    const reach = { addresses, trust: trustBeside(caPem) };
    const calls = createHttpClient(reach);
    // Calls that take every connection must not make a backend that works on them look dead.
    const probes = createHttpClient(reach);
    this.#clients = [calls, probes];
    const era = this.#era;
    this.#openSession = caller => createBackendSession(plan, calls, { log, version, caller, era });
    this.leases = new LeasePool({
      openSession: caller => this.openSession(caller),
      sharesOneStream: () => this.sharesOneStream,
      endSession: session => this.endSession(session),
    });
    this.monitor = new BackendMonitor({
      backend: name,
      health,
      log,
      earlier: earlier?.monitor,
      openSession: () => this.#track(createBackendSession(plan, probes, { log, version, era })),
      endSession: session => this.endSession(session),
      onChange: () => {
        // It may come back as another one.
        if (this.monitor.health.consecutiveFailures > 0) era.forget();
        onChange();
      },
    });
  }

  /** All that a session of this backend says comes on one stream (HTTP+SSE), whether anybody listens or not. */
  get sharesOneStream(): boolean {
    return this.#isSse || this.#era.known === 'sse';
  }

  /** A session on behalf of a client; what the backend asks for is asked of that client. */
  openSession(caller: ClientTraits): BackendSession {
    return this.#track(this.#openSession(caller));
  }

  /** The backend speaks the stateless revision, as far as is known. */
  get isStateless(): boolean {
    return this.monitor.health.mcpRevision === STATELESS_REVISION;
  }

  /** The one way to a stateless backend for all stateless clients: there is nothing to keep apart. */
  get statelessSession(): BackendSession {
    this.#stateless ??= this.openSession(OURSELVES);
    return this.#stateless;
  }

  /** Ends a session that `openSession` gave. Never rejects. */
  async endSession(session: BackendSession): Promise<void> {
    await session.close();
    this.#sessions.delete(session);
    if (this.#sessions.size === 0) this.#onEmpty();
  }

  /** Lets the sessions end within `drainMs`, ends those that are left, and breaks every connection. */
  async close(drainMs: number): Promise<void> {
    await this.monitor.close();
    this.leases.close();
    if (drainMs > 0 && this.#sessions.size > 0) await this.#emptied(drainMs);
    await Promise.all([...this.#sessions].map(session => session.close()));
    await Promise.all(this.#clients.map(client => client.close()));
  }

  #emptied(limitMs: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, limitMs).unref();
      this.#onEmpty = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #track(session: BackendSession): BackendSession {
    this.#sessions.add(session);
    return session;
  }
}

export function connectionIdentity(plan: BackendPlan): string {
  const { tools: _tools, metadata: _metadata, ...reach } = plan;
  return digestOf(canonicalJson(reach));
}
