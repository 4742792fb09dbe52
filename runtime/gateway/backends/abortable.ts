/**
 * Awaits work that does not know `signal`, and ends with it. Nothing of the work stays behind: a race against a promise that
 * lives long would keep what every one of its rivals held.
 *
 * @throws the signal's reason when it comes first
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
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
