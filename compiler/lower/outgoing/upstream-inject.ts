import type { UpstreamInjectPlan, UpstreamInjectStrategy } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';

/** An empty name means the upstream with this name. */
const UNNAMED_UPSTREAM = 'default';

export function lowerUpstreamInject(block: Tracked<UpstreamInjectStrategy>): UpstreamInjectPlan {
  return { type: 'upstream_inject', provider: block.get('providerName') || UNNAMED_UPSTREAM };
}
