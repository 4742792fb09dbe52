/** Delays between reconnections: doubled each time, with random jitter so that many clients do not return at once. */
import { computeBackoffMs } from '#shared/util';

export interface ReconnectLimits {
  /** First wait, in milliseconds. */
  readonly minMs: number;
  /** Longest wait, in milliseconds. */
  readonly maxMs: number;
}

export const RECONNECT_LIMITS: ReconnectLimits = { minMs: 1_000, maxMs: 30_000 };

const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 300_000;

/** Bounds for a server's `retry` (milliseconds): neither a busy loop nor an endless wait. */
export function retryWithinBounds(ms: number): number {
  return Math.min(Math.max(ms, SHORTEST_RETRY_MS), LONGEST_RETRY_MS);
}

export class Backoff {
  readonly #limits: ReconnectLimits;
  #firstMs: number;
  #failures = 0;

  constructor(limits: ReconnectLimits) {
    this.#limits = limits;
    this.#firstMs = limits.minMs;
  }

  /** The next wait in milliseconds: the current step and, at random, up to a quarter more. */
  next(): number {
    const longestMs = Math.max(this.#limits.maxMs, this.#firstMs);
    return computeBackoffMs(++this.#failures, { firstMs: this.#firstMs, longestMs }) * (1 + Math.random() / 4);
  }

  /** Starts over after a success. */
  reset(): void {
    this.#failures = 0;
  }

  /** Sets the first delay to the one that the server requested. */
  setFirst(ms: number): void {
    this.#firstMs = retryWithinBounds(ms);
    this.reset();
  }
}
