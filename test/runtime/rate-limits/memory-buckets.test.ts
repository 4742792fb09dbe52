import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLimit, type Limit } from '../../../runtime/gateway/limits/limit.ts';
import { MemoryBuckets } from '../../../runtime/gateway/limits/memory-buckets.ts';
import { TokenHost } from '../../../runtime/workers/token-host.ts';
import { arbitrarySchedule, playSchedule } from './schedules.ts';

test('the rate limits in memory allow as many calls as exact token buckets, at any time', async () => {
  const seen = { allowed: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(arbitrarySchedule('forward'), async schedule => {
      let nowMs = 0;
      const buckets = new MemoryBuckets(() => nowMs);
      const [allowed, rejected] = await playSchedule(schedule, buckets, nowUs => {
        nowMs = Number(nowUs - 1_700_000_000_000_000n) / 1_000;
      });
      seen.allowed += allowed;
      seen.rejected += rejected;
    }),
    { numRuns: 400 },
  );
  expect(Math.min(seen.allowed, seen.rejected), 'both were seen').toBeGreaterThan(100);
});

const perUser = (maxTokens: number, refillPeriodMs: number): Limit =>
  createLimit('per_user', null, { maxTokens, refillPeriodMs });

function clocked(limits: readonly Limit[], maxBuckets?: number) {
  const clock = { ms: 0 };
  const buckets = new MemoryBuckets(() => clock.ms, maxBuckets);
  buckets.use(limits);
  return { clock, buckets };
}

test('the rate limits in memory drop buckets that are full again', () => {
  const limit = perUser(2, 1_000);
  const { clock, buckets } = clocked([limit]);
  for (let user = 0; user < 1_000; user++) buckets.take([limit], `user ${user}`);
  expect(buckets.size).toBe(1_000);
  clock.ms = 1_000;
  for (let user = 0; user < 500; user++) buckets.take([limit], `other ${user}`);
  expect(buckets.size, 'two go for each that comes').toBe(500);
  expect(buckets.forgotten).toBe(0);
});

test('the rate limits in memory drop the buckets that were used longest ago, and count the dropped buckets', () => {
  const limit = perUser(1, 60_000);
  const { buckets } = clocked([limit], 100);
  for (let user = 0; user < 100; user++) expect(buckets.take([limit], `user ${user}`)).toBe(-1);
  expect(buckets.take([limit], 'user 0'), 'used again').toBe(0);
  expect(buckets.take([limit], 'newcomer')).toBe(-1);
  expect([buckets.size, buckets.forgotten]).toEqual([100, 1]);
  expect(buckets.take([limit], 'user 0'), 'still without a token').toBe(0);
  expect(buckets.take([limit], 'user 1'), 'has made room').toBe(-1);
});

test('the number of buckets in memory has one limit for all rate limits together', () => {
  const limits = [perUser(1, 60_000), createLimit('per_user', 'a', { maxTokens: 1, refillPeriodMs: 60_000 })];
  const { buckets } = clocked(limits, 100);
  for (let user = 0; user < 300; user++) buckets.take(limits, `user ${user}`);
  expect(buckets.size).toBe(100);
});

test('the rate limits of a new bundle continue with the buckets of the same tool and scope', () => {
  const shared = createLimit('shared', null, { maxTokens: 5, refillPeriodMs: 60_000 });
  const gone = createLimit('shared', 'a', { maxTokens: 1, refillPeriodMs: 60_000 });
  const { buckets } = clocked([shared, gone]);
  expect(buckets.take([shared, gone], undefined)).toBe(-1);
  const smaller = createLimit('shared', null, { maxTokens: 2, refillPeriodMs: 60_000 });
  buckets.use([smaller]);
  expect(
    [1, 2, 3].map(() => buckets.take([smaller], undefined)),
    'no more than its new size',
  ).toEqual([-1, -1, 0]);
  buckets.use([smaller, gone]);
  expect(buckets.take([gone], undefined), 'a limit that comes back is new').toBe(-1);
  expect(buckets.take([smaller], undefined)).toBe(0);
});

test('workers name the rate limits of a call to the primary process, which takes the tokens and names the exhausted limit', () => {
  const host = new TokenHost(() => 0);
  const bucket = (maxTokens: number) => ({ maxTokens, refillPeriodMs: 1_000 });
  host.use({ rateLimiting: { store: null, shared: bucket(2), perUser: bucket(1), tools: [] } });
  const take = (user: string) => host.take({ limits: ['of a bundle before', 'shared', 'user'], user });
  expect([take('ann'), take('ann'), take('bob'), take('cy')]).toEqual([-1, 2, -1, 1]);
  expect(host.take({ limits: ['of a bundle before'], user: 'ann' })).toBe(-1);
});
