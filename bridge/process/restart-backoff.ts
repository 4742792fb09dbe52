/** When a program that keeps ending may start again. */

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** A program that ran this long did not fail to start; milliseconds. */
const SETTLED_MS = 10_000;

export class RestartBackoff {
  /** In a row. */
  failures = 0;
  /** Why it ended last; completes "the server". */
  reason = '';
  #startAt = 0;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Until the next start; milliseconds. */
  waitMs(): number {
    return Math.max(0, this.#startAt - this.#now());
  }

  /** It ended of its own accord. */
  ended(reason: string, ranMs: number): void {
    if (ranMs >= SETTLED_MS) this.failures = 0;
    this.failed(reason);
  }

  failed(reason: string): void {
    this.reason = reason;
    this.failures += 1;
    this.#startAt = this.#now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.failures - 1));
  }

  /** It ran until it was ended. */
  served(): void {
    this.failures = 0;
    this.#startAt = 0;
  }
}
