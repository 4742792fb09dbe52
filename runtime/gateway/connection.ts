import { type BackendPlan, canonicalJson, digestOf, type OperationalPlan } from '#schemas';
import { createHttpClient, type HttpClient } from '../http/client.ts';
import type { Logger } from '../observe/log.ts';
import type { BackendSession } from './backend/backend.ts';
import { createBackendSession } from './backend/open-session.ts';
import { BackendMonitor } from './monitor.ts';

export interface ConnectionOptions {
  readonly health: OperationalPlan['health'];
  /** Our version, for the backend's log. */
  readonly version: string;
  readonly log: Logger;
  onChange(): void;
}

/**
 * All that the gateway holds towards one backend: the connection pool, the monitor, and a way to open sessions. It outlives
 * a bundle when the next one reaches the backend in the same way.
 */
export class BackendConnection {
  readonly name: string;
  /** Equal for plans that reach the same backend in the same way, whatever they do with its tools. */
  readonly identity: string;
  readonly monitor: BackendMonitor;
  readonly #client: HttpClient;
  readonly #open: () => BackendSession;

  constructor(plan: BackendPlan, options: ConnectionOptions) {
    this.name = plan.name;
    this.identity = connectionIdentity(plan, options.health);
    this.#client = createHttpClient({
      addresses: plan.addresses,
      ...(plan.caPem === undefined ? {} : { caPem: plan.caPem }),
    });
    this.#open = () => createBackendSession(plan, this.#client, { log: options.log, version: options.version });
    this.monitor = new BackendMonitor({
      backend: plan.name,
      health: options.health,
      log: options.log,
      openSession: this.#open,
      onChange: options.onChange,
    });
  }

  openSession(): BackendSession {
    return this.#open();
  }

  async close(): Promise<void> {
    await this.monitor.close();
    await this.#client.close();
  }
}

export function connectionIdentity(plan: BackendPlan, health: OperationalPlan['health']): string {
  const { tools: _tools, metadata: _metadata, ...reach } = plan;
  return digestOf(canonicalJson({ reach, health }));
}
