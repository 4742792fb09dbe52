export interface BackoffOptions {
  /** Wait after the first failure; milliseconds. */
  readonly firstMs: number;
  /** Longest wait; milliseconds. */
  readonly longestMs: number;
}

/** The wait after a number of consecutive failures, from 1: it doubles each time. Milliseconds. */
export function computeBackoffMs(failures: number, { firstMs, longestMs }: BackoffOptions): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/**
 * Changes a wait by up to a fifth, so that not all processes try at the same time.
 *
 * @param random from 0 to 1
 */
export function spread(ms: number, random: number = Math.random()): number {
  return Math.round(ms * (0.8 + 0.4 * random));
}
