/** Token buckets as specified, in integers: nothing is rounded. */
import type { Limit } from '../../../runtime/gateway/limits/limit.ts';

interface Bucket {
  /** One token has as many parts as the period has microseconds. */
  parts: bigint;
  last: bigint;
}

/** How far a store with fractions may be from a whole token; tokens. */
const ROUNDING = 1e-6;

export class ExactBuckets {
  readonly #buckets = new Map<string, Bucket>();

  /** The first limit without a token, -1 when there is none; undefined where a fraction may have been rounded either way. */
  missing(limits: readonly Limit[], user: string, nowUs: bigint): number | undefined {
    // Later limits are refilled too, which matters when the clock then goes back.
    const counts = limits.map(limit => Number(this.#refilled(limit, user, nowUs).parts) / Number(periodUs(limit)));
    let isUnsure = false;
    for (const [at, tokens] of counts.entries()) {
      if (Math.abs(tokens - 1) < ROUNDING) isUnsure = true;
      else if (tokens < 1) return isUnsure ? undefined : at;
    }
    return isUnsure ? undefined : -1;
  }

  /** Applies the store's result to these buckets. */
  settle(limits: readonly Limit[], user: string, missing: number): void {
    if (missing >= 0) return;
    for (const limit of limits) {
      const bucket = this.#bucketOf(limit, user);
      // A token that was rounded up leaves nothing.
      bucket.parts = bucket.parts < periodUs(limit) ? 0n : bucket.parts - periodUs(limit);
    }
  }

  #refilled(limit: Limit, user: string, nowUs: bigint): Bucket {
    const size = BigInt(limit.maxTokens) * periodUs(limit);
    const bucket = this.#bucketOf(limit, user, { parts: size, last: nowUs });
    const elapsed = nowUs > bucket.last ? nowUs - bucket.last : 0n;
    const parts = bucket.parts + elapsed * BigInt(limit.maxTokens);
    bucket.parts = parts < size ? parts : size;
    bucket.last = nowUs;
    return bucket;
  }

  #bucketOf({ key, scope }: Limit, user: string, full?: Bucket): Bucket {
    const name = scope === 'per_user' ? `${key} ${user}` : key;
    const known = this.#buckets.get(name) ?? (full as Bucket);
    this.#buckets.set(name, known);
    return known;
  }
}

const periodUs = ({ refillPeriodMs }: Limit) => BigInt(refillPeriodMs) * 1_000n;
