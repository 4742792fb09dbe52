import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import { createLimit } from '../../../runtime/gateway/limits/limit.ts';
import { RedisBuckets } from '../../../runtime/gateway/limits/redis-buckets.ts';
import { TAKE } from '../../../runtime/gateway/limits/take-script.ts';
import { RedisKeys } from '../../../runtime/redis/keys.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import { RedisScript } from '../../../runtime/redis/script.ts';
import type { RedisPlan } from '../../../schemas/index.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisCluster, RedisServer, redisPlan } from '../../support/redis-server.ts';
import { arbitrarySchedule, playSchedule, REJECTED_BEFORE_THE_CLOCK_GOES_BACK } from './schedules.ts';

const LONG_MS = 60_000;
const GATEWAY = { namespace: 'team', name: 'tools' };
const log = createLogger('silent');

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

async function open(plan: RedisPlan): Promise<RedisBuckets> {
  const buckets = await RedisBuckets.open({ redis: plan, keyPrefix: 'a:' }, GATEWAY, log);
  opened.push(buckets);
  return buckets;
}

const LIMITS = [
  createLimit('shared', null, { maxTokens: 3, refillPeriodMs: 60_000 }),
  createLimit('shared', 'search', { maxTokens: 2, refillPeriodMs: 90_500 }),
  createLimit('per_user', null, { maxTokens: 1, refillPeriodMs: 60_000 }),
  createLimit('per_user', 'search', { maxTokens: 1, refillPeriodMs: 60_000 }),
];

withPeers('redis-server').describe('buckets in Redis', () => {
  test('the rate limits in Redis allow as many calls as exact token buckets, at any time of the clock of Redis', {
    timeout: LONG_MS,
  }, async () => {
    await using server = await RedisServer.start();
    const redis = new Redis(redisPlan({ addresses: [server.address] }), { log, use: 'rate limits' });
    opened.push(redis);
    await redis.ready(LONG_MS);
    const moved = TAKE.text.replace("redis.call('TIME')", "redis.call('MGET', 'seconds', 'microseconds')");
    expect(moved, 'the clock is moved').not.toBe(TAKE.text);
    const script = new RedisScript(moved);
    const seen = { allowed: 0, rejected: 0 };
    let run = 0;
    await fc.assert(
      fc.asyncProperty(arbitrarySchedule('any clock'), async schedule => {
        const buckets = new RedisBuckets(redis, new RedisKeys('', { ...GATEWAY, name: `g${run++}` }), 'tag', script);
        const [allowed, rejected] = await playSchedule(schedule, buckets, async now => {
          await redis.call('MSET', 'seconds', `${now / 1_000_000n}`, 'microseconds', `${now % 1_000_000n}`);
        });
        seen.allowed += allowed;
        seen.rejected += rejected;
      }),
      { numRuns: 60, examples: [[REJECTED_BEFORE_THE_CLOCK_GOES_BACK]] },
    );
    expect(Math.min(seen.allowed, seen.rejected), 'both were seen').toBeGreaterThan(50);
  });

  test('the buckets in Redis are hashes under one hash tag, without names of callers, and expire when they are full', async () => {
    await using server = await RedisServer.start();
    const buckets = await open(redisPlan({ addresses: [server.address] }));
    buckets.use(LIMITS);
    const user = '["https://id.example.com","ann"]';
    expect(await buckets.take(LIMITS, user)).toBe(-1);
    const digest = 'swPCsqya-U3abSxU3yvHFZjtvpqYcOoGYuzciWSdRRs';
    const keys = ((await server.tell('KEYS', '*')) as string[]).sort();
    expect(keys).toEqual(
      ['shared', 'shared:tool:search', `user-tool:search:${digest}`, `user:${digest}`].map(
        key => `a:team:tools:limits:{team:tools}:${key}`,
      ),
    );
    const [shared = '', ofTool = ''] = keys;
    expect(await server.tell('HGET', shared, 'tokens')).toBe('2');
    const [seconds, microseconds] = (await server.tell('TIME')) as [string, string];
    const age =
      BigInt(seconds) * 1_000_000n +
      BigInt(microseconds) -
      BigInt(String(await server.tell('HGET', shared, 'last_refill')));
    expect(age, 'of the clock of Redis, with all digits').toBeGreaterThanOrEqual(0n);
    expect([120, 119]).toContain(await server.tell('TTL', shared));
    expect([181, 180], 'twice the period, rounded up').toContain(await server.tell('TTL', ofTool));
  });

  test('a call takes no token in Redis when one of its buckets is empty, and the gateway learns which bucket is the first empty one', async () => {
    await using server = await RedisServer.start();
    const buckets = await open(redisPlan({ addresses: [server.address] }));
    buckets.use(LIMITS);
    expect(await buckets.take(LIMITS, 'ann')).toBe(-1);
    expect(await buckets.take(LIMITS, 'ann'), 'her own first').toBe(2);
    expect(await buckets.take(LIMITS, 'ben')).toBe(-1);
    expect(await buckets.take(LIMITS, 'cem'), 'those of the tool are used up').toBe(1);
    const shared = (await server.tell('HGET', 'a:team:tools:limits:{team:tools}:shared', 'tokens')) as string;
    expect(Number(shared), 'two of three').toBeLessThan(1.5);
    expect(Number(shared)).toBeGreaterThanOrEqual(1);
  });

  test('buckets in Redis refill as time passes', async () => {
    await using server = await RedisServer.start();
    const buckets = await open(redisPlan({ addresses: [server.address] }));
    const limit = createLimit('shared', null, { maxTokens: 1, refillPeriodMs: 200 });
    buckets.use([limit]);
    const now = async () => {
      const [seconds, microseconds] = (await server.tell('TIME')) as [string, string];
      return Number(seconds) * 1_000 + Number(microseconds) / 1_000;
    };
    const begin = await now();
    for (let taken = 0; taken < 4; ) if ((await buckets.take([limit], undefined)) === -1) taken++;
    expect((await now()) - begin, 'three tokens had to come').toBeGreaterThanOrEqual(599);
  });

  test('a bucket in Redis may have the longest possible refill period', async () => {
    await using server = await RedisServer.start();
    const buckets = await open(redisPlan({ addresses: [server.address] }));
    const limit = createLimit('shared', null, { maxTokens: 1, refillPeriodMs: Number.MAX_SAFE_INTEGER });
    buckets.use([limit]);
    expect([await buckets.take([limit], undefined), await buckets.take([limit], undefined)]).toEqual([-1, 0]);
  });

  test('replicas use the same buckets in Redis', async () => {
    await using server = await RedisServer.start();
    const replicas = [
      await open(redisPlan({ addresses: [server.address] })),
      await open(redisPlan({ addresses: [server.address] })),
    ];
    const limit = createLimit('per_user', null, { maxTokens: 10, refillPeriodMs: 3_600_000 });
    for (const replica of replicas) replica.use([limit]);
    const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => replicas[at % 2]?.take([limit], 'ann')));
    expect(answers.filter(answer => answer === -1)).toHaveLength(10);
  });

  test('the buckets of a call are in one slot of a Redis cluster, and the gateway follows a moved slot', async () => {
    await using cluster = await RedisCluster.start();
    const buckets = await open(redisPlan({ mode: 'cluster', addresses: cluster.addresses }));
    buckets.use(LIMITS);
    expect(await buckets.take(LIMITS, 'ann')).toBe(-1);
    await cluster.move('{team:tools}');
    expect(await buckets.take(LIMITS, 'ann'), 'what was taken before the move').toBe(2);
    expect(await buckets.take(LIMITS, 'ben')).toBe(-1);
  });
});
