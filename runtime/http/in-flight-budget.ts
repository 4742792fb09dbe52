/** Texts up to this length are not counted, because the limit on the number of requests is enough for them. Characters. */
export const LARGE_TEXT: number = 16 * 1024;

/** Limit on the total of the larger texts of one client's running requests. Characters. */
export const MAX_LARGE_TEXTS: number = 256 * 1024 * 1024;

/** Limits the memory of request texts, which stay in memory until the answers arrive. */
export class InFlightBudget {
  #total = 0;

  /** The total length of the counted texts, in characters. */
  get total(): number {
    return this.#total;
  }

  /** Counts another text of this length; returns false if there is no room for it. */
  take(length: number): boolean {
    if (length <= LARGE_TEXT) return true;
    if (this.#total + length > MAX_LARGE_TEXTS) return false;
    this.#total += length;
    return true;
  }

  /** A text is no longer needed. */
  release(length: number): void {
    if (length > LARGE_TEXT) this.#total -= length;
  }
}
