import type { ClientSession } from '../../mcp/handler.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { RoutingGateway } from '../routing/routing-gateway.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import type { Workflows } from '../workflow/workflows.ts';
import type { GatewaySession } from './client-session.ts';

/** The members of the gateway that requests of clients in sessions need. */
export interface SessionsGateway extends RoutingGateway {
  readonly version: string;
  readonly limits: RateLimits;
  readonly scheduler: CooperativeScheduler;
  readonly workflows: Workflows;
  /** The sessions of all clients. A session is in this set from its beginning to its end. */
  readonly sessions: Set<ClientSession<GatewaySession>>;
  /** Called when a client with this capability set has connected. Reads in the background the lists for such clients that are missing or old. */
  refreshCapabilitySet(capabilitySet: CapabilitySet): void;
}
