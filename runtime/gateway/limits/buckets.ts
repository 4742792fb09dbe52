import type { Limit } from './limit.ts';

/** A store of token buckets. */
export interface TokenBuckets {
  /**
   * Refills the bucket of each limit, and takes one token from each if all have one; otherwise takes no token.
   * @param limits at least one, in the order of their checks
   * @param user key of the caller, for limits per user; undefined when there are none
   * @returns index of the first limit without a token, -1 when all had one; a promise when the store is remote
   * @throws RedisError, or rejects with it, when the store does not answer
   */
  take(limits: readonly Limit[], user: string | undefined): number | Promise<number>;
  /** Sets the limits of the gateway. Unchanged limits, and limits with another size, keep their buckets. */
  use(limits: readonly Limit[]): void;
  close(): void;
}
