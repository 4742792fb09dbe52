/** Texts up to this length are not counted, because the limit on the number of requests is enough for them. Characters. */
export const LARGE_TEXT: number = 16 * 1024;

/** Limit on the total of the larger texts of one client's running requests. Characters. */
export const MAX_LARGE_TEXTS: number = 256 * 1024 * 1024;

/** The texts of requests that are kept until their answers arrive. */
export class InFlightBudget {
  #total = 0;

  /** Characters of the current texts. */
  get total(): number {
    return this.#total;
  }

  /** Whether there is room for another text of this length. */
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
