import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TokenBuckets } from '#shared/util';

describe('a bucket of tokens', () => {
  test('a token bucket allows a burst and then one call per refill, and returns the wait until the next call', () => {
    const buckets = new TokenBuckets({ maxTokens: 2, refillPeriodMs: 4_000 }, 1);
    expect([0, 0, 1000, 2000, 2000].map(now => buckets.take('a', now))).toEqual([0, 0, 1_000, 0, 2_000]);
  });

  test('a token bucket never allows more calls than burst and rate, and a call succeeds after the returned wait', () => {
    const steps = fc.array(fc.nat(3000), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 40 }), (waits, burst, tenths) => {
        const perSecond = tenths / 10;
        const buckets = new TokenBuckets({ maxTokens: burst, refillPeriodMs: (burst / perSecond) * 1_000 }, 1);
        let [now, taken] = [0, 0];
        for (const wait of waits) {
          now += wait;
          const waitMs = buckets.take('a', now);
          if (waitMs === 0) taken += 1;
          else {
            now += waitMs;
            expect(buckets.take('a', now)).toBe(0);
            taken += 1;
          }
          expect(taken).toBeLessThanOrEqual(burst + (now / 1000) * perSecond + 1e-6);
        }
      }),
      { numRuns: 300, seed: 7 },
    );
  });

  test('each key has a token bucket of its own, up to a maximum number of keys', () => {
    const buckets = new TokenBuckets({ maxTokens: 1, refillPeriodMs: 1_000_000 }, 2);
    expect(['a', 'a', 'b', 'c'].map(key => buckets.take(key, 0))).toEqual([0, 1_000_000, 0, 0]);
    expect(buckets.take('b', 0)).toBe(1_000_000);
    expect(buckets.take('a', 0)).toBe(0);
  });
});
