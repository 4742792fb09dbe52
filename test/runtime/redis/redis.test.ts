import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { RedisKeys } from '../../../runtime/redis/keys.ts';
import { Redis, type RedisOptions } from '../../../runtime/redis/redis.ts';
import { type RedisError, toRedisError } from '../../../runtime/redis/redis-error.ts';
import { RedisScript } from '../../../runtime/redis/script.ts';
import type { RedisPlan } from '../../../schemas/index.ts';
import { type LogLine, listeningLog } from '../../support/log-lines.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually } from '../../support/process.ts';
import { RedisCluster, RedisSentinelSet, RedisServer, redisPlan } from '../../support/redis-server.ts';

const LONG_MS = 60_000;
const PASSWORD = 'correct-horse-battery';

const opened: Redis[] = [];
afterEach(() => {
  for (const redis of opened.splice(0)) redis.close();
});

function open(plan: RedisPlan, options: Partial<RedisOptions> = {}): Redis & { readonly lines: readonly LogLine[] } {
  const { log, lines } = listeningLog();
  const redis = new Redis(plan, { log, use: 'sessions', ...options });
  opened.push(redis);
  return Object.assign(redis, { lines });
}

const failure = (promise: Promise<unknown>): Promise<RedisError> =>
  promise.then(
    () => expect.unreachable('it should fail'),
    error => error as RedisError,
  );

const NOWHERE = redisPlan({ addresses: ['127.0.0.1:1'] });
const APPEND = new RedisScript("return redis.call('APPEND', KEYS[1], ARGV[1])");

withPeers('redis-server').describe('a single Redis server', () => {
  test('the Redis client runs commands, pipelines and scripts', async () => {
    await using server = await RedisServer.start();
    const redis = open(redisPlan({ addresses: [server.address], db: 3 }));
    await redis.ready(LONG_MS);
    expect(redis.health).toEqual({ isReady: true, problem: undefined });
    expect(await redis.call('SET', 'a', '1')).toBe('OK');
    expect(await redis.pipeline([])).toEqual([]);
    expect(
      await redis.pipeline([
        ['INCR', 'a'],
        ['GET', 'a'],
      ]),
    ).toEqual([2, '2']);
    expect(await redis.run(APPEND, ['a'], ['x'])).toBe(2);
    await server.tell('SCRIPT', 'FLUSH');
    expect(await redis.run(APPEND, ['a'], ['y']), 'a server that has forgotten the script').toBe(3);
    expect(await server.tell('GET', 'a'), 'database 0').toBeNull();
  });

  test('the Redis client sends the commands of one turn of the event loop together', async () => {
    await using server = await RedisServer.start();
    const redis = open(redisPlan({ addresses: [server.address] }));
    await redis.ready(LONG_MS);
    const readReads = async () =>
      Number(/total_reads_processed:(\d+)/.exec((await redis.call('INFO', 'stats')) as string)?.[1]);
    const before = await readReads();
    const answers = Array.from({ length: 50 }, (_, at) => redis.call('INCRBY', 'a', at));
    answers.push(redis.run(APPEND, ['b'], ['x']), redis.pipeline([['GET', 'b']]));
    expect(await Promise.all(answers)).toHaveLength(52);
    // One for all of them, one for the script's text, and one for the query of their number.
    expect((await readReads()) - before).toBeLessThanOrEqual(3);
  });

  test('the Redis client reconnects after a restart of Redis, without a restart of the gateway', async () => {
    await using server = await RedisServer.start();
    const redis = open(redisPlan({ addresses: [server.address] }));
    await redis.ready(LONG_MS);
    const changes: boolean[] = [];
    redis.onChange(isReady => changes.push(isReady));
    await server.kill();
    await eventually(() => !redis.isReady);
    expect(await failure(redis.call('GET', 'a'))).toMatchObject({ name: 'RedisError', reason: 'connection' });
    expect(await failure(redis.run(APPEND, ['a'], ['x']))).toMatchObject({ reason: 'connection' });
    expect(await failure(redis.pipeline([['GET', 'a']]))).toMatchObject({ reason: 'connection' });
    await server.up();
    await redis.ready(LONG_MS);
    expect(await redis.call('PING')).toBe('PONG');
    expect(changes).toEqual([false, true]);
    expect(
      redis.lines.map(({ level }) => level),
      'one line for the loss, one for the return',
    ).toEqual(['warn', 'info']);
  });

  test('a command to a hanging Redis ends at its timeout, and the client reconnects when Redis is back', async () => {
    await using server = await RedisServer.start();
    const timeouts = { dialMs: 1_000, readMs: 150, writeMs: 50 };
    const redis = open(redisPlan({ addresses: [server.address], timeouts }));
    await redis.ready(LONG_MS);
    server.hang();
    expect(await failure(redis.call('SET', 'a', 'secret value'))).toMatchObject({ reason: 'timeout' });
    await eventually(() => !redis.isReady);
    server.goOn();
    await redis.ready(LONG_MS);
    expect(await redis.call('PING')).toBe('PONG');
  });

  test('a Redis without free memory refuses writes and answers reads', async () => {
    await using server = await RedisServer.start();
    const redis = open(redisPlan({ addresses: [server.address] }));
    await redis.ready(LONG_MS);
    await server.tell('CONFIG', 'SET', 'maxmemory', '1');
    expect(await failure(redis.call('SET', 'a', 'secret value'))).toMatchObject({
      reason: 'full',
      message: `Redis at ${server.address}: the server has no memory left (OOM)`,
    });
    expect(await redis.call('GET', 'a')).toBeNull();
  });

  test('the Redis client authenticates as a named user, and uses a changed password', async () => {
    const settings = [`user lintel on >${PASSWORD} ~* +@all`, 'user default off'];
    await using server = await RedisServer.start({ settings });
    const file = join(server.folder, 'password');
    await writeFile(file, 'a wrong one\n');
    const username = { env: 'REDIS_USER', file: null };
    const plan = redisPlan({ addresses: [server.address], username, password: { env: null, file } });
    const redis = open(plan, { env: { REDIS_USER: 'lintel' } });
    expect(await failure(redis.ready(1_500))).toMatchObject({ reason: 'auth' });
    expect(await failure(redis.call('PING'))).toMatchObject({ reason: 'auth' });
    // Atomically, as Kubernetes replaces the files of a Secret: an empty file would be logged.
    await writeFile(`${file}.new`, `${PASSWORD}\n`);
    await rename(`${file}.new`, file);
    await redis.ready(LONG_MS);
    expect(await redis.call('ACL', 'WHOAMI')).toBe('lintel');
    expect(await failure(redis.call('NOSUCH', PASSWORD))).toMatchObject({
      reason: 'other',
      message: `Redis at ${server.address}: the server refuses the command (ERR)`,
    });
    const told = JSON.stringify(redis.lines);
    expect(told).toContain('WRONGPASS');
    expect(told).not.toMatch(new RegExp(`wrong one|${PASSWORD}|lintel`));
  });

  test('the Redis client authenticates with a password alone from a variable', async () => {
    await using server = await RedisServer.start({ settings: [`requirepass ${PASSWORD}`], password: PASSWORD });
    const password = { env: 'LINTEL_SESSION_REDIS_PASSWORD', file: null };
    const plan = redisPlan({ addresses: [server.address], password });
    const redis = open(plan, { env: { LINTEL_SESSION_REDIS_PASSWORD: PASSWORD } });
    await redis.ready(LONG_MS);
    expect(await redis.call('PING')).toBe('PONG');
    const nobody = open(redisPlan({ addresses: [server.address] }));
    expect(await failure(nobody.ready(1_500)), 'nobody logs in').toMatchObject({ reason: 'auth' });
  });

  test('over TLS, the Redis client trusts only the certificate authority that the plan names', async () => {
    await using server = await RedisServer.start({ tls: true });
    const ca = { env: null, file: server.caFile };
    const secure = open(redisPlan({ addresses: [server.address], tls: { ca, insecureSkipVerify: false } }));
    await secure.ready(LONG_MS);
    expect(await secure.call('PING')).toBe('PONG');
    const unknown = open(redisPlan({ addresses: [server.address], tls: { ca: null, insecureSkipVerify: false } }));
    expect((await failure(unknown.ready(1_500))).message).toMatch(/SELF_SIGNED_CERT_IN_CHAIN/);
    const careless = open(redisPlan({ addresses: [server.address], tls: { ca: null, insecureSkipVerify: true } }));
    await careless.ready(LONG_MS);
    const plain = open(redisPlan({ addresses: [server.address] }));
    expect(await failure(plain.ready(1_500)), 'no TLS at all').toMatchObject({ name: 'RedisError' });
  });
});

withPeers('redis-server', 'redis-sentinel').describe('sentinels', () => {
  test.each([false, true])(
    'the Redis client finds the primary through the sentinels, and the new primary after a failover (TLS: %s)',
    async tls => {
      await using set = await RedisSentinelSet.start({ tls });
      const [{ caFile }] = set.servers as [RedisServer];
      const trust = tls ? { ca: { env: null, file: caFile }, insecureSkipVerify: false } : null;
      const plan = redisPlan({
        mode: 'sentinel',
        addresses: set.sentinels.map(({ address }) => address),
        masterName: 'main',
        tls: trust,
        sentinelTls: trust,
      });
      const redis = open(plan);
      await redis.ready(LONG_MS);
      await redis.call('SET', 'a', '1');
      await redis.call('WAIT', 1, 5_000);
      await set.failOver();
      await eventually(() => redis.call('SET', 'b', '2').catch(() => false));
      expect(
        await redis.pipeline([
          ['GET', 'a'],
          ['GET', 'b'],
        ]),
      ).toEqual(['1', '2']);
      if (trust === null) return;
      const unknown = { ca: null, insecureSkipVerify: false };
      expect(await failure(open({ ...plan, sentinelTls: unknown }).ready(1_500))).toMatchObject({ name: 'RedisError' });
      await open({ ...plan, sentinelTls: { ...unknown, insecureSkipVerify: true } }).ready(LONG_MS);
    },
  );
});

withPeers('redis-server').describe('a cluster', () => {
  test('keys with one hash tag are on one node of a Redis cluster, and commands follow a slot that moves', async () => {
    await using cluster = await RedisCluster.start();
    const redis = open(redisPlan({ mode: 'cluster', addresses: cluster.addresses.slice(0, 1) }));
    await redis.ready(LONG_MS);
    const keys = new RedisKeys('team-a:', { namespace: 'shop', name: 'front' });
    for (let at = 0; at < 20; at++) {
      const [one, other] = [keys.formatKey('session', `${at}`), keys.formatKey('session', `${at}`, 'events')];
      expect(
        await redis.pipeline([
          ['SET', one, at],
          ['APPEND', other, 'x'],
        ]),
      ).toEqual(['OK', 1]);
      expect(await redis.run(APPEND, [other, one], ['y'])).toBe(2);
    }
    const moved = keys.formatKey('session', '7');
    await cluster.move(moved);
    expect(await redis.call('GET', moved)).toBe('7');
    expect(
      await redis.pipeline([
        ['GET', moved],
        ['GET', keys.formatKey('session', '7', 'events')],
      ]),
    ).toEqual(['7', 'xy']);
    expect(await redis.run(APPEND, [moved], ['!'])).toBe(2);
  });
});

test('a command fails at once with the cause while no Redis server is available', async () => {
  const redis = open(NOWHERE);
  expect(await failure(redis.call('GET', 'a'))).toMatchObject({ reason: 'connection' });
  expect(await failure(redis.ready(1_000))).toMatchObject({
    reason: 'connection',
    message: 'Redis at 127.0.0.1:1: the connection failed (ECONNREFUSED)',
  });
  expect(redis.lines.map(({ msg }) => msg)).toEqual([
    'Redis at 127.0.0.1:1: the connection failed (ECONNREFUSED); the connection is tried again until Redis answers',
  ]);
  redis.close();
  expect(await failure(redis.call('GET', 'a'))).toMatchObject({ name: 'RedisError' });
});

test.each([
  ['cluster', { mode: 'cluster' }, 'Redis cluster at 127.0.0.1:1, 127.0.0.1:2: '],
  ['sentinels', { mode: 'sentinel', masterName: 'main' }, 'Redis main of the sentinels at 127.0.0.1:1, 127.0.0.1:2: '],
] as const)(
  'the log names the addresses of a %s that cannot be reached, and no password',
  async (_, how, beginning) => {
    const password = { env: 'REDIS_PASSWORD', file: null };
    const plan = redisPlan({ ...how, addresses: ['127.0.0.1:1', '127.0.0.1:2'], password });
    const redis = open(plan, { env: { REDIS_PASSWORD: PASSWORD } });
    await eventually(() => redis.lines.length > 0);
    expect(redis.lines[0]?.msg).toMatch(new RegExp(`^${beginning.replaceAll('.', '\\.')}`));
    expect(JSON.stringify(redis.lines)).not.toContain(PASSWORD);
  },
);

test('the error of the Redis client names the missing secret', () => {
  const password = { env: 'NOT_SET', file: null };
  expect(() => open({ ...NOWHERE, password }, { env: {} })).toThrow(
    'the password for Redis is missing: environment variable NOT_SET is not set',
  );
});

test('the error of the Redis client names the unusable certificate authority', () => {
  const tls = { ca: { env: 'CA', file: null }, insecureSkipVerify: false };
  const cause = 'cannot be used: environment variable CA holds no PEM certificate';
  expect(() => open({ ...NOWHERE, tls }, { env: { CA: 'hello' } })).toThrow(
    `the certificate authority of Redis ${cause}`,
  );
  expect(() => open({ ...NOWHERE, sentinelTls: tls }, { env: { CA: 'hello' } })).toThrow(
    `the certificate authority of the Redis sentinels ${cause}`,
  );
});

test.each([
  [{ name: 'ReplyError', message: 'WRONGPASS invalid username-password pair' }, 'auth'],
  [{ name: 'ReplyError', message: 'NOPERM this user has no permissions to run the command' }, 'auth'],
  [{ name: 'ReplyError', message: 'ERR AUTH <password> called without any password configured' }, 'auth'],
  [{ name: 'ReplyError', message: 'OOM command not allowed' }, 'full'],
  [{ name: 'ReplyError', message: "READONLY You can't write against a read only replica." }, 'connection'],
  [{ name: 'ReplyError', message: 'CLUSTERDOWN The cluster is down' }, 'connection'],
  [{ name: 'ReplyError', message: 'ERR unknown command with args: hunter2' }, 'other'],
  [{ name: 'Error', message: 'Command timed out' }, 'timeout'],
  [{ name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED' }, 'connection'],
  [
    {
      name: 'ClusterAllFailedError',
      message: 'x',
      lastNodeError: Object.assign(new Error('y'), { code: 'ECONNRESET' }),
    },
    'connection',
  ],
  [undefined, 'connection'],
])('the Redis client classifies the error %j as %s', (error, reason) => {
  const read = toRedisError(error);
  expect(read.reason).toBe(reason);
  expect(read.message).not.toContain('hunter2');
});
