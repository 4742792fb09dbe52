import type { AbortSource } from '#shared/util';
import { ChildAbort } from './abort.ts';
import type { WorkflowHost } from './host.ts';
import { WorkflowError } from './workflow-error.ts';

/**
 * Runs a function with a time limit.
 * @param outer stops it as well
 * @param run must end as soon as its signal is aborted, as code that uses `untilAborted` does
 * @throws WorkflowError with `message` after the time limit, or the reason of `outer`
 */
export async function withDeadline<T>(
  host: Pick<WorkflowHost, 'after'>,
  milliseconds: number,
  message: string,
  outer: AbortSource,
  run: (signal: AbortSource) => Promise<T>,
): Promise<T> {
  if (outer.aborted) throw outer.reason;
  const inner = new ChildAbort(outer);
  const cancel = host.after(milliseconds, () => inner.abort(new WorkflowError(message, 'timeout')));
  try {
    const value = await run(inner);
    if (inner.aborted) throw inner.reason;
    return value;
  } catch (error) {
    throw inner.aborted ? inner.reason : error;
  } finally {
    cancel();
    inner.detach();
  }
}

/**
 * Waits for a time.
 * @throws the reason of the signal as soon as it is aborted
 */
export async function pause(
  host: Pick<WorkflowHost, 'after'>,
  milliseconds: number,
  signal: AbortSource,
): Promise<void> {
  let cancel = () => {};
  const waited = new Promise<void>(resolve => {
    cancel = host.after(milliseconds, resolve);
  });
  try {
    await untilAborted(signal, waited);
  } finally {
    cancel();
  }
}

/**
 * The outcome of the promise, unless the signal is aborted first.
 * @throws the reason of the signal
 */
export function untilAborted<T>(signal: AbortSource, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = { handleEvent: () => reject(signal.reason) };
    if (signal.aborted) onAbort.handleEvent();
    else signal.addEventListener('abort', onAbort);
    promise.then(
      value => {
        signal.removeEventListener('abort', onAbort);
        resolve(value);
      },
      error => {
        signal.removeEventListener('abort', onAbort);
        reject(error);
      },
    );
  });
}
