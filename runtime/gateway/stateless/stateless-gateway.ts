import type { ListChangedListener } from '../callers/list-changed.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { RoutingGateway } from '../routing/routing-gateway.ts';
import type { CooperativeScheduler } from '../scheduling/cooperative-scheduler.ts';
import type { TaskGateway } from '../tasks/task-gateway.ts';
import type { Workflows } from '../workflow/workflows.ts';

/** The members of the gateway that requests of stateless clients need. */
export interface StatelessGateway extends RoutingGateway, TaskGateway {
  readonly version: string;
  readonly limits: RateLimits;
  readonly scheduler: CooperativeScheduler;
  readonly workflows: Workflows;
  /** The open streams of subscriptions. */
  readonly listeners: Set<SubscriptionListener>;
}

/** Receives the changes that concern the stream of a subscription. */
export interface SubscriptionListener extends ListChangedListener {
  /** Called when the gateway begins to serve another bundle: connections that the new bundle does not need are about to close. */
  swapped(): void;
}
