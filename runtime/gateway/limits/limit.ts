import type { TokenBucketPlan } from '#schemas';

/** The scope in rejection counts. */
export type LimitScope = 'shared' | 'per_user';
export type LimitOperation = 'server' | 'tool';

/** One limit of a plan: one bucket, or one for each caller. */
export interface Limit extends TokenBucketPlan {
  readonly scope: LimitScope;
  readonly operation: LimitOperation;
  /** The tool by the name that clients see; null for all calls. */
  readonly tool: string | null;
  /** The key of the limit's buckets. Two bundles give the same key to limits of the same field and tool, and to no others. */
  readonly key: string;
}

export function createLimit(
  scope: LimitScope,
  tool: string | null,
  { maxTokens, refillPeriodMs }: TokenBucketPlan,
): Limit {
  const words = scope === 'shared' ? ['shared', 'shared:tool'] : ['user', 'user-tool'];
  return {
    scope,
    operation: tool === null ? 'server' : 'tool',
    tool,
    key: tool === null ? (words[0] as string) : `${words[1]}:${tool}`,
    maxTokens,
    refillPeriodMs,
  };
}
