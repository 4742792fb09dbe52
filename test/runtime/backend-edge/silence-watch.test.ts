import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleTimer, NOWHERE, type TimedRequest } from '../../../runtime/gateway/backends/idle-timer.ts';

const LIMIT_MS = 800;
const PART_MS = LIMIT_MS / 32;

class Recorded implements TimedRequest {
  position: number = NOWHERE;
  activeAt = 0;
  timesSilent = 0;
  onTimeout(): void {
    this.timesSilent++;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const watching = (watch: IdleTimer, count: number): Recorded[] =>
  Array.from({ length: count }, () => {
    const recorded = new Recorded();
    watch.begin(recorded);
    return recorded;
  });

const silent = (all: readonly Recorded[]): number[] =>
  all.flatMap(({ timesSilent }, index) => (timesSilent > 0 ? [index] : []));

test.each([0, 1, PART_MS - 1, PART_MS, 3.5 * PART_MS])(
  'a silence timeout that starts %d ms after another one fires neither early nor twice',
  ms => {
    const watch = new IdleTimer(LIMIT_MS);
    watching(watch, 1); // The timer is running already.
    vi.advanceTimersByTime(ms);
    const [late] = watching(watch, 1) as [Recorded];
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(late.timesSilent).toBe(0);
    vi.advanceTimersByTime(PART_MS + 1);
    expect(late.timesSilent).toBe(1);
    vi.advanceTimersByTime(3 * LIMIT_MS);
    expect(late.timesSilent).toBe(1);
  },
);

test('data of the backend during a request restarts the whole silence timeout of this request', () => {
  const watch = new IdleTimer(LIMIT_MS);
  const [spoke, still] = watching(watch, 2) as [Recorded, Recorded];
  vi.advanceTimersByTime(LIMIT_MS - 1);
  watch.markActivity(spoke);
  vi.advanceTimersByTime(LIMIT_MS - 1);
  expect([spoke.timesSilent, still.timesSilent]).toEqual([0, 1]);
  vi.advanceTimersByTime(PART_MS + 1);
  expect(spoke.timesSilent).toBe(1);
});

test.each([[[0]], [[4]], [[2, 0]], [[0, 1, 2, 3]], [[4, 3, 2, 1, 0]]])(
  'of five requests, those that have ended (%j) have no silence timeout, and the running ones time out',
  gone => {
    const watch = new IdleTimer(LIMIT_MS);
    const all = watching(watch, 5);
    for (const index of gone) {
      watch.end(all[index] as Recorded);
      watch.end(all[index] as Recorded); // A second call has no effect.
    }
    vi.advanceTimersByTime(2 * LIMIT_MS);
    expect(silent(all)).toEqual([0, 1, 2, 3, 4].filter(index => !gone.includes(index)));
  },
);

test('when the callback of the first silence timeout ends all requests, no second request times out', () => {
  const watch = new IdleTimer(LIMIT_MS);
  const all = watching(watch, 3);
  const [first] = all as [Recorded];
  first.onTimeout = () => {
    for (const other of all) watch.end(other);
  };
  vi.advanceTimersByTime(2 * LIMIT_MS);
  expect(silent(all)).toEqual([]);
});

test('the timer of the silence timeouts stops when no request is running, and starts with the next request', () => {
  const watch = new IdleTimer(LIMIT_MS);
  expect(vi.getTimerCount()).toBe(0);
  const [ended] = watching(watch, 1) as [Recorded];
  watch.end(ended);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(PART_MS);
  expect(vi.getTimerCount()).toBe(0);
  const [again] = watching(watch, 1) as [Recorded];
  vi.advanceTimersByTime(LIMIT_MS + PART_MS);
  expect(again.timesSilent).toBe(1);
});

test.each([1, 2, 31, 33, 50, 1_000, 600_000])('a silence timeout of %d ms fires within a small tolerance', limitMs => {
  const [late] = watching(new IdleTimer(limitMs), 1) as [Recorded];
  vi.advanceTimersByTime(limitMs - 1);
  expect(late.timesSilent).toBe(0);
  vi.advanceTimersByTime(1 + 2 * Math.ceil(limitMs / 32));
  expect(late.timesSilent).toBe(1);
});
