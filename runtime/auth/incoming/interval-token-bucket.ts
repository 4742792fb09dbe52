/** A token bucket: it starts with a burst of tokens, and gets one further token per interval. */
export class IntervalTokenBucket {
  readonly #burst: number;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #tokens: number;
  #since: number;

  constructor(burst: number, intervalMs: number, now: () => number) {
    this.#burst = burst;
    this.#intervalMs = intervalMs;
    this.#now = now;
    this.#tokens = burst;
    this.#since = now();
  }

  /** Takes a token, if one is left. */
  take(): boolean {
    const now = this.#now();
    // A clock that was set back must not block the bucket.
    if (now < this.#since) this.#since = now;
    const intervals = Math.floor((now - this.#since) / this.#intervalMs);
    if (intervals > 0) {
      this.#tokens = Math.min(this.#burst, this.#tokens + intervals);
      this.#since += intervals * this.#intervalMs;
    }
    if (this.#tokens === 0) return false;
    this.#tokens--;
    return true;
  }
}
