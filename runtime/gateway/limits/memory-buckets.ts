/** Token buckets of a gateway that runs as one process. */
import { createFullBucket, refill, type TokenBucket } from '#shared/util';
import type { TokenBuckets } from './buckets.ts';
import type { Limit } from './limit.ts';

/** Maximum number of buckets of all limits together. */
const MAX_BUCKETS = 100_000;

/** How many buckets are checked for each new one, and removed if they are full: two, so that the number of buckets decreases. */
const LOOKED_AT = 2;

/** The buckets of one limit by caller, the least recently used first; under the empty text if callers share one bucket. */
type BucketsByKey = Map<string, TokenBucket>;

export class MemoryBuckets implements TokenBuckets {
  readonly #now: () => number;
  readonly #maxBuckets: number;
  #buckets: ReadonlyMap<string, BucketsByKey> = new Map();
  /** Maximum number of stored buckets of one limit. */
  #limit = 0;
  #forgotten = 0;
  /** The buckets of the current call; the array is reused for each call. */
  readonly #found: TokenBucket[] = [];

  /** @param now a monotonic clock in milliseconds, with fractions */
  constructor(now: () => number = () => performance.now(), maxBuckets: number = MAX_BUCKETS) {
    this.#now = now;
    this.#maxBuckets = maxBuckets;
  }

  /** The number of stored buckets. */
  get size(): number {
    let size = 0;
    for (const buckets of this.#buckets.values()) size += buckets.size;
    return size;
  }

  /** The number of buckets that were removed before they were full: their callers got tokens too early. */
  get forgotten(): number {
    return this.#forgotten;
  }

  take(limits: readonly Limit[], user = ''): number {
    const now = this.#now();
    const found = this.#found;
    let missing = -1;
    for (let at = 0; at < limits.length; at++) {
      const limit = limits[at] as Limit;
      const bucket = this.#getBucket(limit, limit.scope === 'per_user' ? user : '', now);
      found[at] = bucket;
      if (missing < 0 && bucket.tokens < 1) missing = at;
    }
    if (missing < 0) for (let at = 0; at < limits.length; at++) (found[at] as TokenBucket).tokens -= 1;
    return missing;
  }

  use(limits: readonly Limit[]): void {
    this.#buckets = new Map(limits.map(({ key }) => [key, this.#buckets.get(key) ?? new Map<string, TokenBucket>()]));
    this.#limit = Math.max(1, Math.floor(this.#maxBuckets / Math.max(1, limits.length)));
    for (const buckets of this.#buckets.values()) while (buckets.size > this.#limit) this.#forget(buckets);
  }

  close(): void {
    this.#buckets = new Map();
  }

  #getBucket(limit: Limit, user: string, now: number): TokenBucket {
    const buckets = this.#buckets.get(limit.key) as BucketsByKey;
    const known = buckets.get(user);
    if (known === undefined) return this.#add(buckets, limit, user, now);
    refill(known, limit, now);
    if (limit.scope === 'per_user') {
      // Removed and added again, so that the bucket that was used last is the last entry.
      buckets.delete(user);
      buckets.set(user, known);
    }
    return known;
  }

  #add(buckets: BucketsByKey, limit: Limit, user: string, now: number): TokenBucket {
    if (limit.scope === 'per_user') {
      for (let looked = 0; looked < LOOKED_AT; looked++) if (!forgetFull(buckets, limit, now)) break;
      if (buckets.size >= this.#limit) this.#forget(buckets);
    }
    const bucket = createFullBucket(limit, now);
    buckets.set(user, bucket);
    return bucket;
  }

  #forget(buckets: BucketsByKey): void {
    const [oldest] = buckets.keys();
    if (oldest === undefined) return;
    buckets.delete(oldest);
    this.#forgotten++;
  }
}

/** A full bucket equals an unused one, so it need not be stored. */
function forgetFull(buckets: BucketsByKey, { refillPeriodMs }: Limit, now: number): boolean {
  const [oldest] = buckets;
  if (oldest === undefined || now - oldest[1].lastRefill < refillPeriodMs) return false;
  buckets.delete(oldest[0]);
  return true;
}
