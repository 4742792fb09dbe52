import {
  compareText,
  type GatewayConfig,
  type RateLimitPlan,
  type RateLimitStorePlan,
  type RedisPlan,
  type TokenBucketPlan,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { Tracked } from '../resolve/tracked.ts';
import { parseDurationMs } from '../text/duration.ts';
import { findSessionStorage, lowerRedis, type TrackedStorage } from './redis-plan.ts';

/** Every call waits for Redis at most as long as the last two timeouts together, and then continues without a limit. */
const TIMEOUTS: RedisPlan['timeouts'] = { dialMs: 5_000, readMs: 500, writeMs: 500 };

type Buckets = Pick<NonNullable<GatewayConfig['rateLimiting']>, 'shared' | 'perUser'>;

/**
 * Undefined without limits.
 * @param namespace of the gateway
 */
export function lowerRateLimits(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
  namespace: string,
): RateLimitPlan | undefined {
  const limits = config?.child('rateLimiting');
  if (limits === undefined) return undefined;
  const tools = limits.items('tools').map(tool => ({ name: tool.get('name'), ...lowerBuckets(tool) }));
  return {
    store: lowerStore(findSessionStorage(spec, config), namespace),
    ...lowerBuckets(limits),
    tools: tools.sort((a, b) => compareText(a.name, b.name)),
  };
}

function lowerBuckets(limits: Tracked<Buckets>): Pick<RateLimitPlan, 'shared' | 'perUser'> {
  return { shared: lowerBucket(limits.child('shared')), perUser: lowerBucket(limits.child('perUser')) };
}

function lowerBucket(bucket: Tracked<NonNullable<Buckets['shared']>> | undefined): TokenBucketPlan | null {
  if (bucket === undefined) return null;
  return { maxTokens: bucket.get('maxTokens'), refillPeriodMs: parseDurationMs(bucket.get('refillPeriod')) };
}

/** Replicas share limits in the Redis of their sessions; a single replica needs none. */
function lowerStore(storage: TrackedStorage | undefined, namespace: string): RateLimitStorePlan | null {
  if (storage?.peek('provider') !== 'redis') return null;
  return { redis: lowerRedis(storage, namespace, TIMEOUTS), keyPrefix: storage.get('keyPrefix') ?? '' };
}
