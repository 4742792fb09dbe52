export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/** The wait after so many failures in a row, from 1: twice as long each time, give or take a fifth, so that not all come at once. */
export function backoffMs(failures: number, { firstMs, longestMs, random }: BackoffOptions): number {
  const ms = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 40));
  return Math.round(ms * (0.8 + 0.4 * random()));
}
