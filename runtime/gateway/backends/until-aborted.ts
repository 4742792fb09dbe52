/**
 * Awaits work that does not support `signal`, until the signal is aborted. Unlike `Promise.race` against a long-lived promise, it retains no
 * references afterwards.
 *
 * @throws the signal's reason when it comes first
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  work.then(resolve, reject);
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
