import { setImmediate } from 'node:timers';

/** As Node has it: a program may replace what others get. */
const later = setImmediate;

let waiting: (() => void) | undefined;

/**
 * Waits until nothing of the program is left to run: no timer, no file that is being read, no promise that something will settle. A
 * program that starts an async `main()` and does not await it is not done when it is loaded, and Node waits for it as well.
 */
export function untilIdle(): Promise<void> {
  return new Promise(resolve => {
    waiting = resolve;
  });
}

/** @param stuck is called when nothing is left to run although the program itself waits, so that nothing will ever come */
export function watchIdle(stuck: () => void): void {
  process.on('beforeExit', () => {
    const resolve = waiting;
    waiting = undefined;
    // Without a timer the process would end before the promise settles.
    if (resolve !== undefined) later(resolve);
    else stuck();
  });
}
