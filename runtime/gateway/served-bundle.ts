import type { BackendPlan, GatewayBundle } from '#schemas';
import type { Authorizer } from '../auth/authorization/authorizer.ts';
import type { CallerDiscovery } from './connections/caller-discovery.ts';
import type { BackendConnection } from './connections/connection.ts';
import type { Optimizer } from './optimizer/optimizer.ts';

/** A bundle and everything that is created for it and replaced together with it. */
export interface ServedBundle {
  readonly bundle: GatewayBundle;
  readonly authorizer: Authorizer;
  /** Connections, by the name of the backend. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  /** The connections for which each caller has a credential of its own. */
  readonly perCaller: readonly PerCallerConnection[];
  /** The optimizer, by which clients find tools instead of reading a list; undefined without one. */
  readonly optimizer: Optimizer | undefined;
}

export interface PerCallerConnection {
  readonly plan: BackendPlan;
  readonly connection: BackendConnection;
  readonly discovery: CallerDiscovery;
}

export function createServedBundle(
  bundle: GatewayBundle,
  authorizer: Authorizer,
  connections: ReadonlyMap<string, BackendConnection>,
  optimizer: Optimizer | undefined,
): ServedBundle {
  const perCaller = bundle.backends.flatMap(plan => {
    const connection = connections.get(plan.name);
    const discovery = connection?.discovery;
    return connection === undefined || discovery === undefined ? [] : [{ plan, connection, discovery }];
  });
  return { bundle, authorizer, connections, perCaller, optimizer };
}
