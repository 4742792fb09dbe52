/** Time, so that tests have one of their own. */

export interface Clock {
  /** Milliseconds that only ever grow, whatever happens to the time of day: for everything that is measured. */
  now(): number;
  /** Time of day: for what is shown and written. */
  date(): Date;
  /** Calls once after that many milliseconds. Returns how to call it off. */
  after(ms: number, call: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after that many milliseconds. @throws the reason of the signal */
export async function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    const onAbort = (): void => {
      stop();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
