/** Something that waits for its turn. */
export interface Waiter {
  /** It is its turn. */
  go(): void;
  /** Its owner does not want it any more. */
  giveUp(): void;
}

/** Owners have turns one after the other, each for one of what waits: an owner with much work does not hold up others. */
export class FairQueue {
  /** The owner whose turn is next comes first. */
  readonly #waiters = new Map<object, Waiter[]>();

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  add(owner: object, waiter: Waiter): void {
    const own = this.#waiters.get(owner);
    if (own === undefined) this.#waiters.set(owner, [waiter]);
    else own.push(waiter);
  }

  /** Takes out what is next. */
  take(): Waiter | undefined {
    for (const [owner, own] of this.#waiters) {
      const waiter = own.shift();
      this.#waiters.delete(owner);
      if (own.length > 0) this.#waiters.set(owner, own);
      return waiter;
    }
    return undefined;
  }

  /** What an owner waits with is given up. */
  drop(owner: object): void {
    const own = this.#waiters.get(owner) ?? [];
    this.#waiters.delete(owner);
    for (const waiter of own) waiter.giveUp();
  }
}

/** A waiter for a promise that rejects when it is given up. */
export function createWaiter(go: () => void, reject: (error: Error) => void): Waiter {
  return { go, giveUp: () => reject(new Error('it is not wanted any more')) };
}
