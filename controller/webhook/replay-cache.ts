/** What was seen lately, by digest: bounded in number and in time. */
export class ReplayCache {
  readonly #maxEntries: number;
  readonly #keepMs: number;
  /** Until when, by key; the oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(maxEntries: number, keepMs: number) {
    this.#maxEntries = maxEntries;
    this.#keepMs = keepMs;
  }

  /** @param now milliseconds that only ever grow */
  has(keys: readonly string[], now: number): boolean {
    return keys.some(key => (this.#seen.get(key) ?? Number.NEGATIVE_INFINITY) > now);
  }

  add(keys: readonly string[], now: number): void {
    for (const key of keys) {
      this.#seen.delete(key);
      this.#seen.set(key, now + this.#keepMs);
    }
    for (const [key, until] of this.#seen) {
      if (until > now && this.#seen.size <= this.#maxEntries) break;
      this.#seen.delete(key);
    }
  }

  get size(): number {
    return this.#seen.size;
  }
}
