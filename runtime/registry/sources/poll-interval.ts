/** When a source is read next. */
import { computeBackoffMs } from '#util';

/** Never sooner, whatever the plan says; milliseconds. The compiler refuses shorter intervals. */
const MIN_INTERVAL_MS = 1_000;

/** The wait after a first failure, where the interval is not shorter; milliseconds. */
const FIRST_RETRY_MS = 5_000;

/** For a file next to the server whose source has no interval; milliseconds. */
export const FILE_INTERVAL_MS = 60_000;

/** A part of the wait that is added at random, so that servers started together do not ask together. */
const JITTER = 0.1;

/** `setTimeout` fires at once for a longer time; milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * How long to wait; milliseconds. After failures less than the interval: five seconds, then twice as long each time.
 *
 * @param failures in a row; 0 after a success
 * @param random from 0 to 1
 */
export function computeWaitMs(intervalMs: number, failures: number, random: number = Math.random()): number {
  const usual = Math.max(intervalMs, MIN_INTERVAL_MS);
  const wait = failures === 0 ? usual : computeBackoffMs(failures, { firstMs: FIRST_RETRY_MS, longestMs: usual });
  return Math.min(Math.round(wait * (1 + JITTER * random)), LONGEST_TIMER_MS);
}
