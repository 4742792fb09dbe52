import { setImmediate } from 'node:timers';

/** Node's original function, because a program may replace the global. */
const later = setImmediate;

let waiting: (() => void) | undefined;

/**
 * Waits until the program is idle: no timers, no pending reads, no promise that can still settle. A program may start an async `main()` without
 * awaiting it, so it is not done when it is loaded; Node waits for it as well.
 */
export function waitUntilIdle(): Promise<void> {
  return new Promise(resolve => {
    waiting = resolve;
  });
}

/** @param stuck called when nothing is left to run while the program still waits, so that it would wait forever */
export function watchIdle(stuck: () => void): void {
  process.on('beforeExit', () => {
    const resolve = waiting;
    waiting = undefined;
    // Without a timer the process would end before the promise settles.
    if (resolve !== undefined) later(resolve);
    else stuck();
  });
}
