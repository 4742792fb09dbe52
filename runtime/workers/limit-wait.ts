import { setTimeout as pause } from 'node:timers/promises';

/** Waits for an answer, at most `limitMs` milliseconds; then it rejects. */
export async function limitWait<T>(limitMs: number, answer: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = pause(limitMs, undefined, { signal: stop.signal }).then(() => {
    throw new Error(`did not answer within ${limitMs / 1_000} s`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    late.catch(() => {});
    stop.abort();
  }
}
