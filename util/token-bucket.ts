import { LRUCache } from 'lru-cache';

/** So many at once, and so many in the long run. */
export interface Rate {
  readonly maxTokens: number;
  /** In which an empty bucket is full again; milliseconds. */
  readonly refillPeriodMs: number;
}

export interface TokenBucket {
  /** With fractions. */
  tokens: number;
  /** Milliseconds of a clock that does not go back. */
  lastRefill: number;
}

export function fullBucket({ maxTokens }: Rate, now: number): TokenBucket {
  return { tokens: maxTokens, lastRefill: now };
}

/** Puts in what has come since it was last refilled. */
export function refill(bucket: TokenBucket, { maxTokens, refillPeriodMs }: Rate, now: number): void {
  const elapsed = Math.max(0, now - bucket.lastRefill);
  bucket.tokens = Math.min(maxTokens, bucket.tokens + (elapsed * maxTokens) / refillPeriodMs);
  bucket.lastRefill = now;
}

/** A token: sums of fractions fall short of it by a little. */
const ENOUGH = 1 - 1e-9;

/** A bucket for each key; at most so many, of which the ones that were used last stay. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #buckets: LRUCache<string, TokenBucket>;

  constructor(rate: Rate, maxKeys: number) {
    this.#rate = rate;
    this.#buckets = new LRUCache({ max: maxKeys });
  }

  /**
   * Takes one token. Gives 0, or else how long to wait for the next; whole milliseconds.
   *
   * @param now milliseconds of a clock that does not go back
   */
  take(key: string, now: number): number {
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = fullBucket(this.#rate, now);
      this.#buckets.set(key, bucket);
    }
    refill(bucket, this.#rate, now);
    const { maxTokens, refillPeriodMs } = this.#rate;
    if (bucket.tokens < ENOUGH) return Math.ceil(((1 - bucket.tokens) * refillPeriodMs) / maxTokens);
    bucket.tokens = Math.max(0, bucket.tokens - 1);
    return 0;
  }
}
