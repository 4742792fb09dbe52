/** Decides when a program that keeps ending may start again. */

const FIRST_MS = 250;
const LONGEST_MS = 30_000;

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
    this.#startAt = this.#now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** (this.failures - 1));
  }

  /** The program ran until the bridge ended it. */
  served(): void {
    this.failures = 0;
    this.#startAt = 0;
  }
}
