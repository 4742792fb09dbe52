/**
 * The gateway: one bundle at a time, swapped in one step. It owns the connections to the backends and the routing table
 * made of what they offer, and tells every client session when a list changed.
 */
import type { GatewayBundle } from '#schemas';
import type { ClientSession } from '../mcp/handler.ts';
import type { Logger } from '../observe/log.ts';
import { type CapabilityKind, KINDS } from './capabilities.ts';
import type { GatewaySession } from './client-session.ts';
import { BackendConnection, connectionIdentity } from './connection.ts';
import { buildTable, type CapabilityTable } from './table.ts';

/** How long a swap waits for backends that are new in a bundle, so that their tools do not come a moment late; milliseconds. */
const SWAP_WAIT_MS = 300;

/** How long the first list waits for backends that have not answered yet; milliseconds. */
const FIRST_LIST_WAIT_MS = 3_000;

export interface GatewayOptions {
  readonly version: string;
  readonly log: Logger;
}

interface Active {
  readonly bundle: GatewayBundle;
  /** By backend name. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
}

export class Gateway {
  readonly version: string;
  readonly log: Logger;
  readonly sessions: Set<ClientSession<GatewaySession>> = new Set();
  #active: Active;
  #table: CapabilityTable;

  constructor(bundle: GatewayBundle, options: GatewayOptions) {
    this.version = options.version;
    this.log = options.log;
    this.#active = { bundle, connections: this.#connect(bundle, new Map()) };
    this.#table = this.#buildTable();
  }

  get bundle(): GatewayBundle {
    return this.#active.bundle;
  }

  get table(): CapabilityTable {
    return this.#table;
  }

  get connections(): ReadonlyMap<string, BackendConnection> {
    return this.#active.connections;
  }

  /** Resolves when every backend was tried once, well or not, or has used up the time that a first list waits. */
  settled(): Promise<void> {
    return settledWithin([...this.#active.connections.values()], FIRST_LIST_WAIT_MS);
  }

  /**
   * Serves another bundle from now on. Client sessions stay; connections that the new bundle makes in the same way are kept,
   * the others are closed.
   */
  async activate(bundle: GatewayBundle): Promise<void> {
    const before = this.#active.connections;
    const connections = this.#connect(bundle, before);
    const kept = new Set(connections.values());
    await settledWithin(
      [...connections.values()].filter(connection => before.get(connection.name) !== connection),
      SWAP_WAIT_MS,
    );
    this.#active = { bundle, connections };
    this.#refresh();
    const closing = [...before.values()].filter(connection => !kept.has(connection));
    for (const session of this.sessions) session.payload.drop(closing);
    await Promise.all(closing.map(connection => connection.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#active.connections.values()].map(connection => connection.close()));
  }

  /** Connections for a bundle: those of `existing` that reach a backend in the same way, new ones for the rest. */
  #connect(
    bundle: GatewayBundle,
    existing: ReadonlyMap<string, BackendConnection>,
  ): ReadonlyMap<string, BackendConnection> {
    const { health } = bundle.operational;
    return new Map(
      bundle.backends.map(plan => {
        const earlier = existing.get(plan.name);
        if (earlier?.identity === connectionIdentity(plan, health)) return [plan.name, earlier];
        const { version, log } = this;
        const connection = new BackendConnection(plan, { health, version, log, onChange: () => this.#refresh() });
        connection.monitor.start();
        return [plan.name, connection];
      }),
    );
  }

  /** Builds the table anew and announces what changed. */
  #refresh(): void {
    const before = this.#table;
    const after = this.#buildTable();
    this.#table = after;
    this.#logNewlyWithheld(before, after);
    const changed = KINDS.filter(({ kind }) => !after.lists[kind].equals(before.lists[kind]));
    for (const method of new Set(changed.map(traits => traits.changedMethod))) {
      const json = JSON.stringify({ jsonrpc: '2.0', method });
      for (const session of this.sessions) session.send(json);
    }
  }

  #buildTable(): CapabilityTable {
    const { bundle, connections } = this.#active;
    const offers = bundle.backends.flatMap(plan => {
      const monitor = connections.get(plan.name)?.monitor;
      return monitor === undefined ? [] : [{ plan, capabilities: monitor.capabilities, available: monitor.available }];
    });
    return buildTable(bundle, offers);
  }

  #logNewlyWithheld(before: CapabilityTable, after: CapabilityTable): void {
    const known = new Set(before.withheld.map(item => JSON.stringify(item)));
    for (const item of after.withheld) {
      if (known.has(JSON.stringify(item))) continue;
      this.log.warn(item, `withheld ${nounOf(item.kind)} "${item.name}" of backend "${item.backend}": ${item.reason}`);
    }
  }
}

function nounOf(kind: CapabilityKind): string {
  return { tools: 'tool', prompts: 'prompt', resources: 'resource', resourceTemplates: 'resource template' }[kind];
}

async function settledWithin(connections: readonly BackendConnection[], limitMs: number): Promise<void> {
  const { promise: timeUp, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, limitMs);
  await Promise.race([timeUp, Promise.all(connections.map(connection => connection.monitor.settled))]);
  clearTimeout(timer);
}
