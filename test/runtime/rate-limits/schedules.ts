/** Calls of several callers at random times, with several limits. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { TokenBuckets } from '../../../runtime/gateway/limits/buckets.ts';
import { createLimit, type Limit } from '../../../runtime/gateway/limits/limit.ts';
import { ExactBuckets } from './exact-buckets.ts';

/** Buckets in Redis expire by Redis's clock, so they outlast a test here. */
const periodMs = fc.integer({ min: 300_000, max: 3_600_000 });
const bucket = fc.record({ maxTokens: fc.integer({ min: 1, max: 7 }), refillPeriodMs: periodMs });

const limits = fc
  .tuple(bucket, bucket, bucket, bucket)
  .map(([a, b, c, d]) => [
    createLimit('shared', null, a),
    createLimit('shared', 'tool', b),
    createLimit('per_user', null, c),
    createLimit('per_user', 'tool', d),
  ]);

const forwardUs = [fc.constant(0), fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 900_000_000 })];

const callAfter = (afterUs: fc.Arbitrary<number>) =>
  fc.record({
    /** Which of the limits apply, in order. */
    of: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
    user: fc.constantFrom('ann', 'ben', '["https://id.example.com","ann"]'),
    /** Microseconds since the previous call. */
    afterUs,
  });

export interface Schedule {
  readonly limits: readonly Limit[];
  readonly calls: readonly { readonly of: readonly number[]; readonly user: string; readonly afterUs: number }[];
}

/** @param clock `any clock` may go back, like that of another machine after a failover */
export function arbitrarySchedule(clock: 'forward' | 'any clock'): fc.Arbitrary<Schedule> {
  const back = clock === 'forward' ? [] : [fc.integer({ min: -60_000_000, max: 0 })];
  const calls = fc.array(callAfter(fc.oneof(...forwardUs, ...back)), { minLength: 10, maxLength: 60 });
  return fc.record({ limits, calls });
}

/** A bucket after an empty one is refilled up to the time of the rejected call, before the clock goes back. */
export const REJECTED_BEFORE_THE_CLOCK_GOES_BACK: Schedule = {
  limits: [
    createLimit('shared', null, { maxTokens: 1, refillPeriodMs: 3_600_000 }),
    createLimit('shared', 'tool', { maxTokens: 1, refillPeriodMs: 300_000 }),
  ],
  calls: [
    { of: [0, 1], user: 'ann', afterUs: 0 },
    { of: [0, 1], user: 'ann', afterUs: 100_000_000 },
    { of: [1], user: 'ann', afterUs: -60_000_000 },
    { of: [1], user: 'ann', afterUs: 250_000_000 },
  ],
};

export const START_US = 1_700_000_000_123_457n;

/** @returns the number of accepted and rejected calls */
export async function playSchedule(
  { limits, calls }: Schedule,
  buckets: TokenBuckets,
  setClock: (nowUs: bigint) => void | Promise<void>,
): Promise<readonly [allowed: number, rejected: number]> {
  const exact = new ExactBuckets();
  let now = START_US;
  let rejected = 0;
  buckets.use(limits);
  for (const { of, user, afterUs } of calls) {
    now += BigInt(afterUs);
    await setClock(now);
    const applying = of.map(index => limits[index] as Limit);
    const missing = await buckets.take(applying, user);
    const expected = exact.missing(applying, user, now);
    if (expected !== undefined) expect(missing, `${user} at ${now}`).toBe(expected);
    exact.settle(applying, user, missing);
    if (missing >= 0) rejected++;
  }
  return [calls.length - rejected, rejected];
}
