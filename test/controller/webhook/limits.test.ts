import { describe, expect, test } from 'vitest';
import { ReplayCache } from '../../../controller/webhook/replay-cache.ts';

describe('a delivery that was seen', () => {
  test('the webhook receiver remembers a delivery for a limited time', () => {
    const cache = new ReplayCache(10, 1000);
    cache.add(['a', 'b'], 0);
    expect([cache.has(['x', 'b'], 999), cache.has(['a'], 1000), cache.has(['x'], 0)]).toEqual([true, false, false]);
    cache.add(['c'], 1000);
    expect(cache.size).toBe(1);
  });

  test('the webhook receiver drops the oldest remembered delivery beyond its limit', () => {
    const cache = new ReplayCache(3, 1000);
    for (const key of ['a', 'b', 'c', 'a', 'd']) cache.add([key], 0);
    expect(['a', 'b', 'c', 'd'].map(key => cache.has([key], 0))).toEqual([true, false, true, true]);
    expect(cache.size).toBe(3);
  });
});
