/** The limits on a gateway's tool calls, across bundles. */
import { formatCanonicalJson, type GatewayBundle, type RateLimitPlan, type RateLimitStorePlan } from '#schemas';
import type { Identity } from '../../auth/identity.ts';
import type { Logger } from '../../observe/log.ts';
import type { TokenBuckets } from './buckets.ts';
import { createLimit, type Limit } from './limit.ts';
import { LimitCounts } from './limit-counts.ts';
import { MemoryBuckets } from './memory-buckets.ts';
import type { RedisBuckets } from './redis-buckets.ts';

type RateLimitedBundle = Pick<GatewayBundle, 'namespace' | 'name' | 'rateLimiting'>;

/** Limits that are ready to be used: call either method once. */
export interface PreparedLimits {
  use(): void;
  discard(): void;
}

/** The limits of one call, in the order of their checks. */
interface LimitsOfCall {
  readonly unknownCaller: readonly Limit[];
  readonly knownCaller: readonly Limit[];
}

interface ActiveLimits {
  readonly plan: RateLimitPlan;
  readonly buckets: TokenBuckets;
  readonly limits: readonly Limit[];
  readonly ofTools: ReadonlyMap<string, LimitsOfCall>;
  readonly ofOthers: LimitsOfCall;
}

export interface RateLimitStatus {
  readonly store: 'memory' | 'redis';
  readonly limits: readonly {
    readonly scope: Limit['scope'];
    /** The tool that the limit is about; null for a limit on all calls. */
    readonly tool: string | null;
    readonly maxTokens: number;
    readonly refillPeriodMs: number;
    /** The number of calls that the limit rejected since the start of the process. */
    readonly rejected: number;
  }[];
  /** The number of allowed calls since the start of the process. */
  readonly allowed: number;
  readonly rejected: number;
  /** Whether and how often the gateway allowed calls because it could not reach the buckets. */
  readonly failOpen: {
    readonly active: boolean;
    /** The number of calls that were allowed because the buckets could not be reached, since the start of the process. */
    readonly calls: number;
    /** The reason of the latest such call; null before the first. */
    readonly reason: string | null;
  };
  /** The buckets in the memory of this process; null when they are in Redis. */
  readonly buckets: {
    readonly kept: number;
    /** The number of buckets that were removed to make room before they had refilled. */
    readonly forgotten: number;
  } | null;
}

export class RateLimits {
  readonly counts: LimitCounts = new LimitCounts();
  readonly #log: Logger;
  readonly #openLocal: () => TokenBuckets;
  #active: ActiveLimits | undefined;

  /** @param openLocal opens buckets that need no Redis */
  constructor(log: Logger, openLocal: () => TokenBuckets = () => new MemoryBuckets()) {
    this.#log = log;
    this.#openLocal = openLocal;
  }

  /**
   * Prepares the limits of a bundle; unchanged limits keep their buckets. Waits for a Redis that was not used before.
   * @throws SecretError, RedisError
   */
  async prepare(bundle: RateLimitedBundle): Promise<PreparedLimits> {
    const { rateLimiting: plan } = bundle;
    const before = this.#active;
    if (plan === undefined) return { use: () => this.#replace(undefined), discard: () => {} };
    const isSameStore =
      before !== undefined && formatCanonicalJson(before.plan.store) === formatCanonicalJson(plan.store);
    const buckets = isSameStore ? before.buckets : await this.#open(plan.store, bundle);
    const next = toActive(plan, buckets);
    return {
      use: () => {
        buckets.use(next.limits);
        this.#replace(next);
      },
      discard: () => {
        if (!isSameStore) buckets.close();
      },
    };
  }

  /**
   * Takes a token for a call from each bucket that applies to it.
   * @param tool the name that clients see
   * @returns the limit that rejects the call; undefined when the call is allowed, also when the buckets cannot be reached
   */
  take(tool: string, { caller, key }: Identity): Limit | undefined | Promise<Limit | undefined> {
    const active = this.#active;
    if (active === undefined) return undefined;
    const { knownCaller, unknownCaller } = active.ofTools.get(tool) ?? active.ofOthers;
    const limits = caller === undefined ? unknownCaller : knownCaller;
    if (limits.length === 0) return undefined;
    const missing = active.buckets.take(limits, key);
    if (typeof missing === 'number') return this.#recordDecision(limits, missing);
    const isInRedis = active.plan.store !== null;
    const askedAt = performance.now();
    return missing.then(
      at => {
        if (isInRedis) this.counts.checkSeconds.observe((performance.now() - askedAt) / 1_000);
        return this.#recordDecision(limits, at, isInRedis);
      },
      error => this.#failOpen(error),
    );
  }

  /** The limits and their counts for `/status`; null when calls have no limit. */
  status(): RateLimitStatus | null {
    if (this.#active === undefined) return null;
    const { plan, buckets, limits } = this.#active;
    const { counts } = this;
    const redis = plan.store === null ? undefined : (buckets as RedisBuckets).redis;
    return {
      store: redis === undefined ? 'memory' : 'redis',
      limits: limits.map(({ scope, tool, maxTokens, refillPeriodMs, key }) => ({
        scope,
        tool,
        maxTokens,
        refillPeriodMs,
        rejected: counts.countRejectionsOf(key),
      })),
      allowed: counts.allowed,
      rejected: counts.rejected,
      failOpen: {
        active: redis !== undefined && (counts.isFailingOpen || !redis.isReady),
        calls: counts.failedOpen,
        reason: counts.failure?.message ?? null,
      },
      buckets: buckets instanceof MemoryBuckets ? { kept: buckets.size, forgotten: buckets.forgotten } : null,
    };
  }

  close(): void {
    this.#replace(undefined);
  }

  /**
   * Opens the buckets of a gateway.
   * @throws SecretError, RedisError
   */
  async #open(store: RateLimitStorePlan | null, gateway: RateLimitedBundle): Promise<TokenBuckets> {
    if (store === null) return this.#openLocal();
    const { RedisBuckets: Buckets } = await import('./redis-buckets.ts');
    return Buckets.open(store, gateway, this.#log);
  }

  #replace(next: ActiveLimits | undefined): void {
    const before = this.#active;
    this.#active = next;
    if (before !== undefined && before.buckets !== next?.buckets) before.buckets.close();
  }

  #recordDecision(limits: readonly Limit[], missing: number, isInRedis = false): Limit | undefined {
    if (isInRedis && this.counts.isFailingOpen) {
      this.counts.answeredAgain();
      this.#log.info('calls are limited again: Redis answers');
    }
    const limit = limits[missing];
    if (limit === undefined) this.counts.allow();
    else this.counts.reject(limit);
    return limit;
  }

  #failOpen(error: unknown): undefined {
    const isNew = !this.counts.isFailingOpen;
    const { reason, message } = this.counts.failOpen(error);
    if (isNew) this.#log.warn({ reason }, `calls are let through without a limit: ${message}`);
    return undefined;
  }
}

/** Shared limits come before limits per user, and the server's limits before the tool's: the first limit without a token is reported. */
function toActive(plan: RateLimitPlan, buckets: TokenBuckets): ActiveLimits {
  const limits = listLimits(plan);
  const of = (scope: Limit['scope'], tool: string | null) =>
    limits.filter(limit => limit.scope === scope && limit.tool === tool);
  const [shared, perUser] = [of('shared', null), of('per_user', null)];
  const ofTools = new Map<string, LimitsOfCall>();
  for (const { name } of plan.tools) {
    const unknownCaller = [...shared, ...of('shared', name)];
    ofTools.set(name, { unknownCaller, knownCaller: [...unknownCaller, ...perUser, ...of('per_user', name)] });
  }
  const ofOthers = { unknownCaller: shared, knownCaller: [...shared, ...perUser] };
  return { plan, buckets, limits, ofTools, ofOthers };
}

/** Lists the limits of a plan; each has its own buckets. */
export function listLimits(plan: RateLimitPlan): readonly Limit[] {
  return [plan, ...plan.tools].flatMap(part => {
    const tool = 'name' in part ? part.name : null;
    return [
      ...(part.shared === null ? [] : [createLimit('shared', tool, part.shared)]),
      ...(part.perUser === null ? [] : [createLimit('per_user', tool, part.perUser)]),
    ];
  });
}
