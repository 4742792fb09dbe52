import { LRUCache } from 'lru-cache';

/** What was seen lately, by digest: bounded in number and in time. */
export class ReplayCache {
  readonly #keepMs: number;
  /** Until when, by key. */
  readonly #seen: LRUCache<string, number>;

  constructor(maxEntries: number, keepMs: number) {
    this.#keepMs = keepMs;
    this.#seen = new LRUCache({ max: maxEntries });
  }

  /** @param now milliseconds that only ever grow */
  has(keys: readonly string[], now: number): boolean {
    return keys.some(key => (this.#seen.peek(key) ?? Number.NEGATIVE_INFINITY) > now);
  }

  add(keys: readonly string[], now: number): void {
    for (const key of keys) this.#seen.set(key, now + this.#keepMs);
    // The oldest first.
    for (const key of this.#seen.rkeys()) {
      if (this.has([key], now)) break;
      this.#seen.delete(key);
    }
  }

  get size(): number {
    return this.#seen.size;
  }
}
