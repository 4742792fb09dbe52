import { createWaiter, FairQueue } from './fair-queue.ts';

/** Limits the number of concurrent works, shared fairly among owners. */
export class FairSemaphore {
  readonly #most: number;
  #inUse = 0;
  readonly #waiting = new FairQueue();

  /** @param most the number of concurrent works */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Runs work when the owner gets its turn.
   * @throws the error of the work; rejects when the work was dropped
   */
  async run<T>(owner: object, work: () => Promise<T>): Promise<T> {
    if (this.#inUse < this.#most) this.#inUse++;
    else {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.add(owner, createWaiter(resolve, reject));
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.take();
      // The work that has ended passes its turn to the next item, if there is one.
      if (next === undefined) this.#inUse--;
      else next.onTurn();
    }
  }

  /** Drops the owner's work that has not begun. */
  drop(owner: object): void {
    this.#waiting.drop(owner);
  }
}
