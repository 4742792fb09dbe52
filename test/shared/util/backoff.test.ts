import { expect, test } from 'vitest';
import { computeBackoffMs, spread } from '#shared/util';

test('the wait between attempts doubles up to the longest wait, after any number of failures', () => {
  const waits = [1, 2, 3, 4, 5, 2_000].map(failures => computeBackoffMs(failures, { firstMs: 750, longestMs: 5_000 }));
  expect(waits).toEqual([750, 1_500, 3_000, 5_000, 5_000, 5_000]);
});

test('the first wait between attempts is not longer than the longest wait', () => {
  expect(computeBackoffMs(1, { firstMs: 500, longestMs: 100 })).toBe(100);
});

test('a wait between attempts is varied by at most a fifth', () => {
  expect([0, 0.5, 1].map(random => spread(1_000, random))).toEqual([800, 1_000, 1_200]);
});
