import type { WorkflowHost } from './host.ts';
import { WorkflowError } from './workflow-error.ts';

/**
 * Runs something that ends in time, or is stopped and not waited for any longer.
 *
 * @param outer stops it as well
 * @throws WorkflowError with `message` when the time is over, and what `outer` was stopped for
 */
export async function withDeadline<T>(
  host: Pick<WorkflowHost, 'after'>,
  milliseconds: number,
  message: string,
  outer: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort(outer.reason);
  outer.addEventListener('abort', stop);
  const cancel = host.after(milliseconds, () => controller.abort(new WorkflowError(message, 'timeout')));
  try {
    if (outer.aborted) throw outer.reason;
    return await unlessAborted(controller.signal, run(controller.signal));
  } finally {
    cancel();
    outer.removeEventListener('abort', stop);
  }
}

/** Waits. @throws the reason of the signal as soon as it is given */
export async function pause(
  host: Pick<WorkflowHost, 'after'>,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  let cancel = () => {};
  const waited = new Promise<void>(resolve => {
    cancel = host.after(milliseconds, resolve);
  });
  try {
    await unlessAborted(signal, waited);
  } finally {
    cancel();
  }
}

/** The same promise, unless the signal comes first: then it is not waited for. @throws the reason of the signal */
export function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: first, resolve, reject } = Promise.withResolvers<T>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  return first;
}
