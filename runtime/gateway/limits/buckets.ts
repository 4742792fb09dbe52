import type { Limit } from './limit.ts';

/** Where token buckets are kept. */
export interface TokenBuckets {
  /**
   * Refills the bucket of each limit, and takes a token out of each of them if all have one; else out of none.
   *
   * @param limits at least one, in the order in which they are looked at
   * @param user key of the caller, for limits that are per user; undefined where there are none among them
   * @returns index of the first limit without a token, -1 when all had one; a promise where it takes a while
   * @throws RedisError, or rejects with it, where the store does not answer
   */
  take(limits: readonly Limit[], user: string | undefined): number | Promise<number>;
  /** From now on these are the limits of the gateway. Buckets of limits that are the same, or have another size, go on. */
  use(limits: readonly Limit[]): void;
  close(): void;
}
