/** Decides when a program that keeps ending may start again. */
import { computeBackoffMs } from '#shared/util';

const WAITS = { firstMs: 250, longestMs: 30_000 };

/** A program that ran at least this long counts as started successfully; milliseconds. */
export const SETTLED_MS = 10_000;

export class RestartBackoff {
  /** Consecutive failures. */
  failures = 0;
  /** Why the program ended last; continues a sentence that begins with "the server". */
  reason = '';
  #startAt = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How long to wait before the next start; milliseconds. */
  waitMs(): number {
    return Math.max(0, this.#startAt - this.#now());
  }

  /** The program ended by itself. */
  ended(reason: string, ranMs: number): void {
    if (ranMs >= SETTLED_MS) this.failures = 0;
    this.failed(reason);
  }

  failed(reason: string): void {
    this.reason = reason;
    this.failures += 1;
    this.#startAt = this.#now() + computeBackoffMs(this.failures, WAITS);
  }

  /** The program ran until the bridge ended it. */
  served(): void {
    this.failures = 0;
    this.#startAt = 0;
  }
}
