import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ReplayCache } from '../../../controller/webhook/replay-cache.ts';
import { TokenBuckets } from '../../../controller/webhook/token-bucket.ts';

describe('a bucket of tokens', () => {
  test('so many at once, then as they come back, and it says when', () => {
    const buckets = new TokenBuckets({ burst: 2, perSecond: 0.5 });
    expect([0, 0, 1000, 2000, 2000].map(now => buckets.take('a', now))).toEqual([0, 0, 1, 0, 2]);
  });

  test('never more in a time than burst and rate allow, and waiting as long as it says is enough', () => {
    const steps = fc.array(fc.nat(3000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 40 }), (waits, burst, tenths) => {
        const rate = { burst, perSecond: tenths / 10 };
        const buckets = new TokenBuckets(rate);
        let [now, taken] = [0, 0];
        for (const wait of waits) {
          now += wait;
          const seconds = buckets.take('a', now);
          if (seconds === 0) taken += 1;
          else {
            now += seconds * 1000;
            expect(buckets.take('a', now)).toBe(0);
            taken += 1;
          }
          expect(taken).toBeLessThanOrEqual(burst + (now / 1000) * rate.perSecond + 1e-6);
        }
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  test('keys have their own, and only so many are kept', () => {
    const buckets = new TokenBuckets({ burst: 1, perSecond: 0.001 }, 2);
    expect(['a', 'a', 'b', 'c'].map(key => buckets.take(key, 0))).toEqual([0, 1000, 0, 0]);
    expect(buckets.take('b', 0)).toBe(1000);
    expect(buckets.take('a', 0)).toBe(0);
  });
});

describe('what was seen', () => {
  test('is remembered for a time', () => {
    const cache = new ReplayCache(10, 1000);
    cache.add(['a', 'b'], 0);
    expect([cache.has(['x', 'b'], 999), cache.has(['a'], 1000), cache.has(['x'], 0)]).toEqual([true, false, false]);
    cache.add(['c'], 1000);
    expect(cache.size).toBe(1);
  });

  test('is forgotten from the oldest on, beyond so many', () => {
    const cache = new ReplayCache(3, 1000);
    for (const key of ['a', 'b', 'c', 'a', 'd']) cache.add([key], 0);
    expect(['a', 'b', 'c', 'd'].map(key => cache.has([key], 0))).toEqual([true, false, true, true]);
    expect(cache.size).toBe(3);
  });
});
