/** Work that waits for its turn. */
export interface Waiter {
  /** Called when it is this item's turn. */
  onTurn(): void;
  /** Called when the owner has cancelled the item. */
  onAbandoned(): void;
}

/** Gives each owner a turn for one waiting item after the other, so that an owner with much work does not delay others. */
export class FairQueue {
  /** Waiting items by owner; the owner whose turn is next comes first. */
  readonly #waiters = new Map<object, Waiter[]>();

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  add(owner: object, waiter: Waiter): void {
    const own = this.#waiters.get(owner);
    if (own === undefined) this.#waiters.set(owner, [waiter]);
    else own.push(waiter);
  }

  /** Removes and returns the item whose turn is next. */
  take(): Waiter | undefined {
    for (const [owner, own] of this.#waiters) {
      const waiter = own.shift();
      this.#waiters.delete(owner);
      if (own.length > 0) this.#waiters.set(owner, own);
      return waiter;
    }
    return undefined;
  }

  /** Drops an owner's waiting items. */
  drop(owner: object): void {
    const own = this.#waiters.get(owner) ?? [];
    this.#waiters.delete(owner);
    for (const waiter of own) waiter.onAbandoned();
  }
}

/** A waiter for a promise that rejects when the waiter is dropped. */
export function createWaiter(onTurn: () => void, reject: (error: Error) => void): Waiter {
  return { onTurn, onAbandoned: () => reject(new Error('the work is no longer needed')) };
}
