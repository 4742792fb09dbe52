export interface BackoffOptions {
  /** After the first failure; milliseconds. */
  readonly firstMs: number;
  /** Milliseconds. */
  readonly longestMs: number;
}

/** The wait after so many failures in a row, from 1: twice as long each time; milliseconds. */
export function backoffMs(failures: number, { firstMs, longestMs }: BackoffOptions): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1));
}

/** A fifth more or less, so that not all come at once. @param random from 0 to 1 */
export function spread(ms: number, random: number = Math.random()): number {
  return Math.round(ms * (0.8 + 0.4 * random));
}
