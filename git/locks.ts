/** One at a time, by name, in the order of asking. */
/** Does something else while one waits for nothing but another. */
export type Wait = <T>(run: () => Promise<T>) => Promise<T>;

export class Locks {
  readonly #last = new Map<string, Promise<void>>();

  isHeld(name: string): boolean {
    return this.#last.has(name);
  }

  /**
   * @param wait has what waits for its turn done, if it has to wait
   * @throws what the work throws; the reason of the signal when it comes before the turn does
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
