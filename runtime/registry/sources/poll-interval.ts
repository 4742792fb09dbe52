/** Computes when a source is read next. */
import { computeBackoffMs } from '#shared/util';

/** Minimum interval, in milliseconds; shorter intervals of a plan are raised to it. The compiler refuses shorter intervals. */
const MIN_INTERVAL_MS = 1_000;

/** The delay after a first failure, unless the interval is shorter; milliseconds. */
const FIRST_RETRY_MS = 5_000;

/** The interval for a source that is a local file, if its configuration has no interval; milliseconds. */
export const FILE_INTERVAL_MS = 60_000;

/** Up to this share of the delay is added at random, so that servers that started at the same time do not all read at the same time. */
const JITTER = 0.1;

/** `setTimeout` fires at once for a longer time; milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The delay until the next reading, in milliseconds. After failures it is shorter than the interval: five seconds, doubled with each failure.
 *
 * @param failures consecutive failures; 0 after a success
 * @param random from 0 to 1
 */
export function computeWaitMs(intervalMs: number, failures: number, random: number = Math.random()): number {
  const usual = Math.max(intervalMs, MIN_INTERVAL_MS);
  const wait = failures === 0 ? usual : computeBackoffMs(failures, { firstMs: FIRST_RETRY_MS, longestMs: usual });
  return Math.min(Math.round(wait * (1 + JITTER * random)), LONGEST_TIMER_MS);
}
