import type { RedisPlan } from './redis.ts';

/** Limits on tool calls. A call needs a token in each bucket that applies to it, and takes one out of each. */
export interface RateLimitPlan {
  /** Where replicas share their buckets; null where the one replica keeps them in memory. */
  readonly store: RateLimitStorePlan | null;
  /** One bucket for all calls. */
  readonly shared: TokenBucketPlan | null;
  /** One bucket for each caller. */
  readonly perUser: TokenBucketPlan | null;
  /** In addition, for tools by the names that clients see; sorted by name, each once. */
  readonly tools: readonly ToolRateLimitPlan[];
}

export interface RateLimitStorePlan {
  readonly redis: RedisPlan;
  /** Put before every key; empty, or ends with `:`. */
  readonly keyPrefix: string;
}

/** At least one of the two. */
export interface ToolRateLimitPlan {
  readonly name: string;
  readonly shared: TokenBucketPlan | null;
  readonly perUser: TokenBucketPlan | null;
}

export interface TokenBucketPlan {
  /** Size of the bucket, which is full at first; at least 1. */
  readonly maxTokens: number;
  /** Time in which an empty bucket fills up, evenly; milliseconds, at least 1. */
  readonly refillPeriodMs: number;
}
