/** Texts up to this length are not counted: of them the number of requests is the limit. Characters. */
export const LARGE_TEXT: number = 16 * 1024;

/** Limit on the larger texts together that are on their way through one client. Characters. */
export const MAX_LARGE_TEXTS: number = 256 * 1024 * 1024;

/** The texts of requests that are kept until they are answered, however long that takes. */
export class InFlightBudget {
  #total = 0;

  /** Characters of those that are kept now. */
  get total(): number {
    return this.#total;
  }

  /** Whether there is room for one more of this length. */
  take(length: number): boolean {
    if (length <= LARGE_TEXT) return true;
    if (this.#total + length > MAX_LARGE_TEXTS) return false;
    this.#total += length;
    return true;
  }

  /** One that had room is not needed any more. */
  release(length: number): void {
    if (length > LARGE_TEXT) this.#total -= length;
  }
}
