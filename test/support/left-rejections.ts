/**
 * A promise that a test stores and awaits later is never awaited once the test has failed before that line. Its rejection
 * would fail the whole run, also where the test passes when it runs once more: so it is printed next to the failed attempt. A
 * rejection in a test that passes fails the run, as Vitest has it: in a program, it would end the process.
 */
import { aroundEach } from 'vitest';

const EVENT = 'unhandledRejection';

// Before a test replaces the timers.
const { setImmediate } = globalThis;

/** Registers it for the tests of the file that is loaded next. */
export function reportLeftRejections(): void {
  aroundEach(aroundTest);
}

const aroundTest: Parameters<typeof aroundEach>[0] = async (runTest, { task }) => {
  const held: { readonly reason: unknown; readonly promise: Promise<unknown> }[] = [];
  const hold = (reason: unknown, promise: Promise<unknown>) => void held.push({ reason, promise });
  // Vitest reports none as long as another listener than its own is there.
  process.on(EVENT, hold);
  try {
    await runTest();
    // Node emits what the last lines of the test rejected behind the microtasks.
    await new Promise(resolve => setImmediate(resolve));
  } finally {
    process.off(EVENT, hold);
  }
  for (const { reason, promise } of held) {
    if (task.result?.state === 'fail') console.error(`rejected in a test that failed, ${task.name}:`, reason);
    else process.emit(EVENT, reason, promise);
  }
};
