/** A token bucket: a burst, and one more per interval. */
export class IntervalTokenBucket {
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

  /** Takes a token, if one is left. */
  take(): boolean {
    const now = this.#now();
    // A clock that was set back must not block the bucket.
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
