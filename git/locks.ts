/** One at a time, by name, in the order of asking. */
export class Locks {
  readonly #last = new Map<string, Promise<void>>();

  isHeld(name: string): boolean {
    return this.#last.has(name);
  }

  /** @throws what the work throws; the reason of the signal when it comes before the turn does */
  async with<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const done = Promise.withResolvers<void>();
    // A waiter that gives up must not let the next in early.
    const mine = before.then(() => done.promise);
    this.#last.set(name, mine);
    void mine.then(() => {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    });
    try {
      await untilAborted(before, signal);
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
