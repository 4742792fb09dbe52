import { createWaiter, FairQueue } from './fair-queue.ts';

/** How long work of the scheduler runs before other work gets its turn, in milliseconds. */
const SLICE_MS = 2;

/** Runs CPU work that clients can request in great numbers: one slice in each turn of the event loop. */
export class CooperativeScheduler {
  readonly #now: () => number;
  readonly #waiting = new FairQueue();
  #isScheduled = false;

  /** @param now a clock in milliseconds with any origin */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Runs work soon, never synchronously.
   * @throws the error of the work; rejects when the work was dropped
   */
  run<T>(owner: object, work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const onTurn = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.add(owner, createWaiter(onTurn, reject));
    this.#schedule();
    return promise;
  }

  /** Drops the owner's work that has not begun. */
  drop(owner: object): void {
    this.#waiting.drop(owner);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.isEmpty) return;
    this.#isScheduled = true;
    setImmediate(() => this.#slice());
  }

  #slice(): void {
    this.#isScheduled = false;
    const end = this.#now() + SLICE_MS;
    do this.#waiting.take()?.onTurn();
    while (!this.#waiting.isEmpty && this.#now() < end);
    this.#schedule();
  }
}
