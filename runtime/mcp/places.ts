/** Places that clients have for as long as they stay connected; those of one holder, such as an address, are no more than a share. */
export class Places {
  readonly #max: number;
  readonly #maxPerHolder: number;
  #taken = 0;
  /** How many of them are taken, by holder. */
  readonly #byHolder = new Map<string, number>();

  /** @param maxPerHolder Default half of all. */
  constructor(max: number, maxPerHolder: number = Math.ceil(max / 2)) {
    this.#max = max;
    this.#maxPerHolder = maxPerHolder;
  }

  /** Takes one; false where none is left. */
  take(holder: string): boolean {
    const before = this.#byHolder.get(holder) ?? 0;
    if (this.#taken >= this.#max || before >= this.#maxPerHolder) return false;
    this.#taken++;
    this.#byHolder.set(holder, before + 1);
    return true;
  }

  /** Whether a holder has its whole share. */
  hasShare(holder: string): boolean {
    return (this.#byHolder.get(holder) ?? 0) >= this.#maxPerHolder;
  }

  /** Gives one back; `holder` as it was taken for. */
  leave(holder: string): void {
    this.#taken--;
    const left = (this.#byHolder.get(holder) ?? 0) - 1;
    if (left > 0) this.#byHolder.set(holder, left);
    else this.#byHolder.delete(holder);
  }
}
