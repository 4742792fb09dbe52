import type { GatewayBundle } from '#schemas';
import type { CallerAccess } from '../../auth/authorization/authorizer.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Logger } from '../../observe/log.ts';
import type { Sender } from '../backends/sender.ts';
import type { BackendConnection } from '../connections/connection.ts';
import type { Optimizer } from '../optimizer/optimizer.ts';
import type { OptimizerCounts } from '../optimizer/optimizer-counts.ts';
import type { Denials } from './access.ts';
import type { OfferDiscovery } from './offer-discovery.ts';
import type { RoutingTable } from './table.ts';

/** The members of the gateway that decide the destination of a request and the lists of a caller. A new bundle may replace their values. */
export interface RoutingGateway {
  readonly log: Logger;
  readonly bundle: GatewayBundle;
  /** The connections, by the name of the backend. */
  readonly connections: ReadonlyMap<string, BackendConnection>;
  readonly discovery: OfferDiscovery;
  /** Undefined when clients read the list of tools themselves, and do not search it. */
  readonly optimizer: Optimizer | undefined;
  readonly optimizerCounts: OptimizerCounts;
  /** Counts the calls that policies deny. */
  readonly denials: Denials;
  /** Whether the promise of `settled` has resolved. */
  readonly isSettled: boolean;
  /** Resolves when every backend has ended its first probe, even with a failure, or has exceeded the time limit of a start. */
  settled(): Promise<void>;
  /** The table that is the same for all callers. */
  readonly table: RoutingTable;
  /** What a caller may do by the current policies. */
  getAccess(caller: Identity): CallerAccess;
  /** The table of a caller: its lists, and the destinations of its requests. */
  getTable(sender: Sender): RoutingTable;
}
