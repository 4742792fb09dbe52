import type { WorkflowHost } from './host.ts';
import { WorkflowError } from './workflow-error.ts';

/**
 * Runs something that ends in time, or is told to stop and is not waited for any longer.
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
  const cancel = host.after(milliseconds, () => controller.abort(new WorkflowError(message)));
  try {
    if (outer.aborted) throw outer.reason;
    return await Promise.race([run(controller.signal), stopped(controller.signal)]);
  } finally {
    cancel();
    outer.removeEventListener('abort', stop);
  }
}

/** Waits. @throws the reason of the signal as soon as it is given */
export function pause(host: Pick<WorkflowHost, 'after'>, milliseconds: number, signal: AbortSignal): Promise<void> {
  const waited = new Promise<void>(resolve => {
    const cancel = host.after(milliseconds, resolve);
    signal.addEventListener('abort', cancel, { once: true });
  });
  return Promise.race([waited, stopped(signal)]);
}

function stopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
