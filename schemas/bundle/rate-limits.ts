import type { RedisPlan } from './redis.ts';

/** Limits on tool calls. A call takes a token from each bucket that applies to it, and needs one in each. */
export interface RateLimitPlan {
  /** The Redis in which replicas share the buckets; null when a single replica keeps them in memory. */
  readonly store: RateLimitStorePlan | null;
  /** The limit of one bucket for all calls. */
  readonly shared: TokenBucketPlan | null;
  /** The limit of each caller's own bucket. */
  readonly perUser: TokenBucketPlan | null;
  /** Additional limits for single tools, by the names that clients see; sorted by name, each once. */
  readonly tools: readonly ToolRateLimitPlan[];
}

export interface RateLimitStorePlan {
  readonly redis: RedisPlan;
  /** Prefix of every key; empty, or ends with `:`. */
  readonly keyPrefix: string;
}

/** The limits of one tool. At least one of the two is set. */
export interface ToolRateLimitPlan {
  readonly name: string;
  readonly shared: TokenBucketPlan | null;
  readonly perUser: TokenBucketPlan | null;
}

export interface TokenBucketPlan {
  /** Size of the bucket, which is full at first; at least 1. */
  readonly maxTokens: number;
  /** Time in which an empty bucket refills evenly; milliseconds, at least 1. */
  readonly refillPeriodMs: number;
}
