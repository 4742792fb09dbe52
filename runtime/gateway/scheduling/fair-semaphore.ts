import { createWaiter, FairQueue } from './fair-queue.ts';

/** Work of which a limited number is under way at a time, shared fairly among those that ask. */
export class FairSemaphore {
  readonly #most: number;
  #taken = 0;
  readonly #waiting = new FairQueue();

  /** @param most how much may be under way */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Does something when it is the owner's turn.
   *
   * @throws what the work throws; rejects when it was dropped
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
      // It has this turn.
      if (next === undefined) this.#taken--;
      else next.go();
    }
  }

  /** What has not begun is not done. */
  drop(owner: object): void {
    this.#waiting.drop(owner);
  }
}
