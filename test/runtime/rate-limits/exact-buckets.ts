/** Token buckets as the specification has them, in whole numbers: nothing is rounded. */
import type { Limit } from '../../../runtime/gateway/limits/limit.ts';

interface Bucket {
  /** In parts of which one token has as many as there are microseconds in the period. */
  parts: bigint;
  last: bigint;
}

/** How far a store that counts with fractions may be from a whole token, in tokens. */
const ROUNDING = 1e-6;

export class ExactBuckets {
  readonly #buckets = new Map<string, Bucket>();

  /** The first limit without a token, -1 when there is none; undefined where a fraction may have been rounded to either side. */
  missing(limits: readonly Limit[], user: string, nowUs: bigint): number | undefined {
    // Those behind one without a token are refilled, too: it matters when the clock goes back after that.
    const counts = limits.map(limit => Number(this.#refilled(limit, user, nowUs).parts) / Number(periodUs(limit)));
    let isUnsure = false;
    for (const [at, tokens] of counts.entries()) {
      if (Math.abs(tokens - 1) < ROUNDING) isUnsure = true;
      else if (tokens < 1) return isUnsure ? undefined : at;
    }
    return isUnsure ? undefined : -1;
  }

  /** What the store did. */
  settle(limits: readonly Limit[], user: string, missing: number): void {
    if (missing >= 0) return;
    for (const limit of limits) {
      const bucket = this.#bucketOf(limit, user);
      // What was rounded up to a token leaves nothing.
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
