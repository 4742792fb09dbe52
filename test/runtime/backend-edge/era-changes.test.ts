/** How long the result of a probe is cached, and how long calls wait after a change. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EraChanges } from '../../../runtime/gateway/backends/era/era-changes.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const OPTIONS = { pauseMs: 1_000, settlingMs: 5_000 };
const after = (count: number) => {
  const changes = new EraChanges(OPTIONS);
  for (let n = 0; n < count; n++) changes.noted();
  return changes;
};

test.each([
  [0, 1_000, 0],
  [1, 1_000, 0],
  [2, 2_000, 5_000],
  [3, 4_000, 10_000],
  [4, 4_000, 20_000],
  [5, 4_000, 40_000],
  [6, 4_000, 40_000],
  [2_000, 4_000, 40_000],
])(
  'after %i changes of a backend between sessions and stateless, a probe is valid for %i ms, and the gateway follows within %i ms',
  (count, pauseMs, settlingMs) => {
    const changes = after(count);
    expect([changes.recent, changes.pauseMs, changes.computeWait(0)]).toEqual([count, pauseMs, settlingMs]);
  },
);

test('after a change-free period, the next change of a backend between sessions and stateless counts as its first change', () => {
  const changes = after(9);
  vi.advanceTimersByTime(300_000);
  expect([changes.recent, changes.pauseMs, changes.computeWait(0)]).toEqual([0, 1_000, 0]);
  changes.noted();
  expect([changes.recent, changes.pauseMs, changes.computeWait(0)]).toEqual([1, 1_000, 0]);
});

test('changes of a backend between sessions and stateless are counted together while no change-free period separates them', () => {
  const changes = after(1);
  for (let n = 2; n < 9; n++) {
    vi.advanceTimersByTime(299_999);
    changes.noted();
    expect(changes.recent).toBe(n);
  }
});

test('the gateway repeats refused requests after delays that grow from 5 to 80 seconds', () => {
  expect([0, 1, 2].map(tries => after(1).waitToRetry(tries, 0))).toEqual([5_000, 20_000, 80_000]);
});

test('when a backend changes between sessions and stateless, the gateway spreads the change of many sessions over up to five seconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_000 }), count => {
      const changes = after(1);
      const limitMs = Math.min(count * 10, 5_000);
      const waits = Array.from({ length: count }, () => changes.computeWait(count));
      expect(Math.max(...waits)).toBeLessThanOrEqual(limitMs);
      if (count < 1_000) return;
      const tenths = Map.groupBy(waits, wait => Math.floor((wait / limitMs) * 10));
      for (const tenth of tenths.values()) expect(tenth.length).toBeLessThan(count / 5);
    }),
    { seed: 7, numRuns: 30 },
  );
});
