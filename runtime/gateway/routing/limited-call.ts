import type { Limit } from '../limits/limit.ts';
import type { Destination, RequestTarget } from './targets.ts';

/** A call, and the limit that may reject it. */
export interface LimitedCall {
  readonly target: RequestTarget;
  readonly destination: Destination;
  readonly limit: Promise<Limit | undefined>;
}
