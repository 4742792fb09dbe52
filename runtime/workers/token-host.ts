/** Token buckets in the memory of the primary, for all workers. */
import type { GatewayBundle } from '#schemas';
import type { Limit } from '../gateway/limits/limit.ts';
import { MemoryBuckets } from '../gateway/limits/memory-buckets.ts';
import { listLimits } from '../gateway/limits/rate-limits.ts';
import type { TokenCall } from './messages.ts';

export class TokenHost {
  readonly #buckets: MemoryBuckets;
  #limits: ReadonlyMap<string, Limit> = new Map();

  /** @param now milliseconds of a monotonic clock */
  constructor(now?: () => number) {
    this.#buckets = new MemoryBuckets(now);
  }

  get status(): { readonly kept: number; readonly forgotten: number } {
    return { kept: this.#buckets.size, forgotten: this.#buckets.forgotten };
  }

  /** Applies the limits of this bundle from now on. */
  use({ rateLimiting: plan }: Pick<GatewayBundle, 'rateLimiting'>): void {
    const limits = plan === undefined || plan.store !== null ? [] : listLimits(plan);
    this.#limits = new Map(limits.map(limit => [limit.key, limit]));
    this.#buckets.use(limits);
  }

  /** @returns the index of the first limit without a token; -1 if each had a token. A limit that the current bundle does not have is ignored. */
  take({ limits, user }: TokenCall): number {
    const known = limits.flatMap(key => this.#limits.get(key) ?? []);
    const missing = known.length === 0 ? -1 : this.#buckets.take(known, user ?? undefined);
    return missing === -1 ? -1 : limits.indexOf((known[missing] as Limit).key);
  }
}
