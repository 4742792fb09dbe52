/**
 * Runs the waiting for a lock, so that the caller can do other work meanwhile. A queue, for example, lends the place of the waiting caller to another
 * task.
 */
export type Wait = <T>(run: () => Promise<T>) => Promise<T>;

/** Locks by name: each has one holder at a time, in order of arrival. */
export class Locks {
  readonly #last = new Map<string, Promise<void>>();

  isHeld(name: string): boolean {
    return this.#last.has(name);
  }

  /**
   * @param wait runs the waiting, if the caller has to wait for its turn
   * @throws the error of the work; the reason of the signal if it is aborted before the turn comes
   */
  async with<T>(name: string, signal: AbortSignal, work: () => Promise<T>, wait: Wait = run => run()): Promise<T> {
    signal.throwIfAborted();
    const before = this.#last.get(name);
    const done = Promise.withResolvers<void>();
    // A waiter that gives up must not let the next in early.
    const mine = before === undefined ? done.promise : before.then(() => done.promise);
    this.#last.set(name, mine);
    void mine.then(() => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    });
    try {
      if (before !== undefined) await wait(() => untilAborted(before, signal));
      return await work();
    } finally {
      done.resolve();
    }
  }
}

async function untilAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
