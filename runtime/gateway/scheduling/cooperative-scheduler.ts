import { createWaiter, FairQueue } from './fair-queue.ts';

/** How long such work goes on before everything else has its turn, in milliseconds. */
const SLICE_MS = 2;

/** Work for the processor that clients can ask for in great numbers: a slice of it in each turn of the event loop. */
export class CooperativeScheduler {
  readonly #now: () => number;
  readonly #waiting = new FairQueue();
  #isScheduled = false;

  /** @param now milliseconds from any time on */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Does something soon, never at once.
   *
   * @throws what the work throws; rejects when it was dropped
   */
  run<T>(owner: object, work: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const go = () => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    };
    this.#waiting.add(owner, createWaiter(go, reject));
    this.#schedule();
    return promise;
  }

  /** What has not begun is not done. */
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
    do this.#waiting.take()?.go();
    while (!this.#waiting.isEmpty && this.#now() < end);
    this.#schedule();
  }
}
