/**
 * When a test fails, promises that it would await later are never awaited. Their rejection would fail the whole run, even if the test passes on
 * a retry, so it is printed with the failed attempt instead. A rejection in a test that passes still fails the run, as in Vitest, because in a
 * program it would end the process.
 */
import { aroundEach } from 'vitest';

const EVENT = 'unhandledRejection';

// Taken before a test replaces the timers.
const { setImmediate } = globalThis;

/** Reports such rejections for the tests of the file that is loaded next. */
export function reportLeftRejections(): void {
  aroundEach(aroundTest);
}

const aroundTest: Parameters<typeof aroundEach>[0] = async (runTest, { task }) => {
  const held: { readonly reason: unknown; readonly promise: Promise<unknown> }[] = [];
  const hold = (reason: unknown, promise: Promise<unknown>) => void held.push({ reason, promise });
  // Vitest does not report rejections while another listener than its own exists.
  process.on(EVENT, hold);
  try {
    await runTest();
    // Node emits rejections of the test's last lines only after the microtasks.
    await new Promise(resolve => setImmediate(resolve));
  } finally {
    process.off(EVENT, hold);
  }
  for (const { reason, promise } of held) {
    if (task.result?.state === 'fail') console.error(`rejected in a test that failed, ${task.name}:`, reason);
    else process.emit(EVENT, reason, promise);
  }
};
