import { expect, test } from 'vitest';
import { Backoff, RECONNECT_LIMITS } from '../../../runtime/gateway/backends/backoff.ts';

/** Expects that each wait is as long as its step, or up to a quarter longer. */
function expectSteps(backoff: Backoff, steps: readonly number[]): void {
  for (const step of steps) {
    const wait = backoff.next();
    expect(wait).toBeGreaterThanOrEqual(step);
    expect(wait).toBeLessThanOrEqual(step * 1.25);
  }
}

test('the delays between attempts to reconnect double from one second to thirty, and begin again at one second after a success', () => {
  const backoff = new Backoff(RECONNECT_LIMITS);
  expectSteps(backoff, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  backoff.reset();
  expectSteps(backoff, [1_000, 2_000]);
});

test.each([
  ['is the first wait', 5_000, [5_000, 10_000, 20_000, 30_000]],
  ['may exceed the longest wait of the gateway', 60_000, [60_000, 60_000]],
  ['of zero causes no busy loop', 0, [100, 200, 400]],
  ['has an upper limit', 1e12, [300_000, 300_000]],
] as const)('the reconnection delay that a backend requests with retry %s', (_name, ms, steps) => {
  const backoff = new Backoff(RECONNECT_LIMITS);
  backoff.next();
  backoff.setFirst(ms);
  expectSteps(backoff, steps);
});
