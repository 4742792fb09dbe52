import { LRUCache } from 'lru-cache';

/** The capacity of a bucket, and the rate at which tokens return. */
export interface Rate {
  readonly maxTokens: number;
  /** Time in which an empty bucket refills; milliseconds. */
  readonly refillPeriodMs: number;
}

export interface TokenBucket {
  /** The number of tokens; may be a fraction. */
  tokens: number;
  /** The time of the last refill; milliseconds of a monotonic clock. */
  lastRefill: number;
}

export function createFullBucket({ maxTokens }: Rate, now: number): TokenBucket {
  return { tokens: maxTokens, lastRefill: now };
}

/** Adds the tokens since the last refill. */
export function refill(bucket: TokenBucket, { maxTokens, refillPeriodMs }: Rate, now: number): void {
  const elapsed = Math.max(0, now - bucket.lastRefill);
  bucket.tokens = Math.min(maxTokens, bucket.tokens + (elapsed * maxTokens) / refillPeriodMs);
  bucket.lastRefill = now;
}

/** What counts as one token: slightly less, because sums of fractions have rounding errors. */
const ENOUGH = 1 - 1e-9;

/** One bucket for each key; at the limit, the bucket that was used least recently is dropped. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets: LRUCache<string, TokenBucket>;

  constructor(rate: Rate, maxKeys: number) {
    this.#rate = rate;
    this.#buckets = new LRUCache({ max: maxKeys });
  }

  /**
   * Takes one token. Returns 0, or how long to wait for the next one; whole milliseconds.
   *
   * @param now milliseconds of a monotonic clock
   */
  take(key: string, now: number): number {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = createFullBucket(this.#rate, now);
      this.#buckets.set(key, bucket);
    }
    refill(bucket, this.#rate, now);
    const { maxTokens, refillPeriodMs } = this.#rate;
    if (bucket.tokens < ENOUGH) return Math.ceil(((1 - bucket.tokens) * refillPeriodMs) / maxTokens);
    bucket.tokens = Math.max(0, bucket.tokens - 1);
    return 0;
  }
}
