/** How often something may be done: so many times at once, and once more in each interval. */
export class Allowance {
  readonly #burst: number;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #left: number;
  #since: number;

  constructor(burst: number, intervalMs: number, now: () => number) {
    this.#burst = burst;
    this.#intervalMs = intervalMs;
    this.#now = now;
    this.#left = burst;
    this.#since = now();
  }

  /** Takes one, if there is one. */
  take(): boolean {
    const now = this.#now();
    // A clock that was put back must not hold it up.
    if (now < this.#since) this.#since = now;
    const intervals = Math.floor((now - this.#since) / this.#intervalMs);
    if (intervals > 0) {
      this.#left = Math.min(this.#burst, this.#left + intervals);
      this.#since += intervals * this.#intervalMs;
    }
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }
}
