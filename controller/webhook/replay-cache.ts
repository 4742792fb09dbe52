import { LRUCache } from 'lru-cache';

/** Recently seen digests, limited in number and time. */
export class ReplayCache {
  readonly #keepMs: number;
  /** The time when each digest expires. */
  readonly #seen: LRUCache<string, number>;

  constructor(maxEntries: number, keepMs: number) {
    this.#keepMs = keepMs;
    this.#seen = new LRUCache({ max: maxEntries });
  }

  /**
   * Whether one of the digests was seen lately.
   * @param now monotonic milliseconds
   */
  has(keys: readonly string[], now: number): boolean {
    return keys.some(key => (this.#seen.peek(key) ?? Number.NEGATIVE_INFINITY) > now);
  }

  add(keys: readonly string[], now: number): void {
    for (const key of keys) this.#seen.set(key, now + this.#keepMs);
    // Oldest first.
    for (const key of this.#seen.rkeys()) {
      if (this.has([key], now)) break;
      this.#seen.delete(key);
    }
  }

  get size(): number {
    return this.#seen.size;
  }
}
