/** Limits the number of connected clients. One holder (a caller or an address) gets at most a share of the places. */
export class ConnectionLimit {
  readonly #max: number;
  readonly #maxPerHolder: number;
  #open = 0;
  /** The number of taken places, by holder. */
  readonly #byHolder = new Map<string, number>();

  /** @param maxPerHolder default: half of all */
  constructor(max: number, maxPerHolder: number = Math.ceil(max / 2)) {
    this.#max = max;
    this.#maxPerHolder = maxPerHolder;
  }

  /** Takes a place; false when none is free. */
  take(holder: string): boolean {
    const before = this.#byHolder.get(holder) ?? 0;
    if (this.#open >= this.#max || before >= this.#maxPerHolder) return false;
    this.#open++;
    this.#byHolder.set(holder, before + 1);
    return true;
  }

  /** Whether a holder has its whole share. */
  hasShare(holder: string): boolean {
    return (this.#byHolder.get(holder) ?? 0) >= this.#maxPerHolder;
  }

  /** Returns a place; `holder` as for `take`. */
  leave(holder: string): void {
    this.#open--;
    const remaining = (this.#byHolder.get(holder) ?? 0) - 1;
    if (remaining > 0) this.#byHolder.set(holder, remaining);
    else this.#byHolder.delete(holder);
  }
}
