/** Places that clients have for as long as they stay connected; those behind one address get no more than a share of them. */
export class Places {
  readonly #max: number;
  readonly #maxPerAddress: number;
  #taken = 0;
  /** How many of them are taken, by remote address. */
  readonly #byAddress = new Map<string, number>();

  /** @param maxPerAddress Default half of all. */
  constructor(max: number, maxPerAddress: number = Math.ceil(max / 2)) {
    this.#max = max;
    this.#maxPerAddress = maxPerAddress;
  }

  /** Takes one; false where none is left. */
  take(address: string): boolean {
    const before = this.#byAddress.get(address) ?? 0;
    if (this.#taken >= this.#max || before >= this.#maxPerAddress) return false;
    this.#taken++;
    this.#byAddress.set(address, before + 1);
    return true;
  }

  /** Gives one back; `address` as it was taken for. */
  leave(address: string): void {
    this.#taken--;
    const left = (this.#byAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }
}
