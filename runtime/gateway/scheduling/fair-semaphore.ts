import { createWaiter, FairQueue } from './fair-queue.ts';

/** Limits the number of concurrent works, shared fairly among owners. */
export class FairSemaphore {
  readonly #most: number;
  #taken = 0;
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
    if (this.#taken < this.#most) this.#taken++;
    else {
      await new Promise<void>((resolve, reject) => {
        this.#waiting.add(owner, createWaiter(resolve, reject));
      });
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.take();
      // This work has the turn.
      if (next === undefined) this.#taken--;
      else next.go();
    }
  }

  /** Drops the work that has not begun. */
  drop(owner: object): void {
    this.#waiting.drop(owner);
  }
}
