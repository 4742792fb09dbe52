/** Where sessions are stored, from the spec to the plan that the runtime opens. */
import { describe, expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { SessionStoragePlan } from '#schemas';
import { builtFrom, gatewayText } from '../manifests/build.ts';

const TIMEOUTS = { dialMs: 5_000, readMs: 3_000, writeMs: 3_000 };

const PLAIN = {
  mode: 'standalone',
  addresses: ['redis:6379'],
  masterName: null,
  db: 0,
  username: null,
  password: null,
  mayLackPassword: false,
  tls: null,
  sentinelTls: null,
  timeouts: TIMEOUTS,
};

const WATCHED = { mode: 'sentinel', masterName: 'main' } as const;

const PASSWORD = { env: 'LINTEL_SESSION_REDIS_PASSWORD', file: '/etc/lintel/secrets/redis/password' };

const findGateway = (spec: string) => {
  const { bundle } = builtFrom(gatewayText({ spec }));
  if (bundle.kind !== 'gateway') throw new Error('no gateway');
  return bundle;
};

describe('a session store in Redis', () => {
  test.each<[spec: string, plan: SessionStoragePlan]>([
    [
      'sessionStorage: { provider: redis, address: "redis:6379" }',
      { redis: { ...PLAIN, mode: 'standalone' }, keyPrefix: '' },
    ],
    [
      'sessionStorage: { provider: redis, address: "[::1]:7000", db: 3, keyPrefix: "team-a:", passwordRef: { name: redis, key: password } }',
      {
        redis: { ...PLAIN, mode: 'standalone', addresses: ['[::1]:7000'], db: 3, password: PASSWORD },
        keyPrefix: 'team-a:',
      },
    ],
    [
      'sessionStorage: { provider: redis, address: "redis:6379", clusterMode: true, passwordRef: { name: redis, key: password }, usernameRef: { name: redis, key: user }, tls: { caCertSecretRef: { name: redis, key: ca.crt } } }',
      {
        redis: {
          ...PLAIN,
          mode: 'cluster',
          username: { env: null, file: '/etc/lintel/secrets/redis/user' },
          password: PASSWORD,
          tls: { ca: { env: null, file: '/etc/lintel/secrets/redis/ca.crt' }, insecureSkipVerify: false },
        },
        keyPrefix: '',
      },
    ],
    [
      'sessionStorage: { provider: redis, address: "redis:6379", tls: {} }',
      { redis: { ...PLAIN, mode: 'standalone', tls: { ca: null, insecureSkipVerify: false } }, keyPrefix: '' },
    ],
    [
      'config: { sessionStorage: { provider: redis, address: "redis:6379", db: 1, keyPrefix: "a:" } }',
      {
        redis: {
          ...PLAIN,
          mode: 'standalone',
          db: 1,
          password: { env: 'LINTEL_SESSION_REDIS_PASSWORD', file: null },
          mayLackPassword: true,
        },
        keyPrefix: 'a:',
      },
    ],
    [
      'sessionStorage: { provider: redis, address: "a:1" }\nconfig: { sessionStorage: { provider: redis, address: "b:2" } }',
      { redis: { ...PLAIN, mode: 'standalone', addresses: ['a:1'] }, keyPrefix: '' },
    ],
    [
      'sessionStorage: { provider: redis, sentinelConfig: { masterName: main, sentinelAddrs: ["a:26379", "[::1]:26380"], db: 2 }, tls: {}, sentinelTls: { caCertSecretRef: { name: redis, key: ca.crt } } }',
      {
        redis: {
          ...PLAIN,
          ...WATCHED,
          addresses: ['a:26379', '[::1]:26380'],
          db: 2,
          tls: { ca: null, insecureSkipVerify: false },
          sentinelTls: { ca: { env: null, file: '/etc/lintel/secrets/redis/ca.crt' }, insecureSkipVerify: false },
        },
        keyPrefix: '',
      },
    ],
    [
      'sessionStorage: { provider: redis, sentinelConfig: { masterName: main, sentinelService: { name: sentinels } } }',
      { redis: { ...PLAIN, ...WATCHED, addresses: ['sentinels.mcp.svc.cluster.local:26379'] }, keyPrefix: '' },
    ],
    [
      'sessionStorage: { provider: redis, sentinelConfig: { masterName: main, sentinelService: { name: s, namespace: cache, port: 5000 } } }',
      { redis: { ...PLAIN, ...WATCHED, addresses: ['s.cache.svc.cluster.local:5000'] }, keyPrefix: '' },
    ],
    [
      'config: { sessionStorage: { provider: redis, keyPrefix: "a:", sentinelConfig: { masterName: main, sentinelAddrs: ["a:26379"] } } }',
      {
        redis: {
          ...PLAIN,
          ...WATCHED,
          addresses: ['a:26379'],
          password: { env: 'LINTEL_SESSION_REDIS_PASSWORD', file: null },
          mayLackPassword: true,
        },
        keyPrefix: 'a:',
      },
    ],
  ])('the bundle has a session store in Redis with %s', (spec, plan) => {
    const { sessionStorage, requires } = findGateway(spec);
    expect(sessionStorage).toEqual(plan);
    expect(requires).toContain('sessions-redis');
  });

  test('the bundle lists the Redis password once for sessions and rate limits', () => {
    const storage =
      'sessionStorage: { provider: redis, address: "redis:6379", passwordRef: { name: redis, key: password } }';
    const secret = { name: 'redis', key: 'password' };
    expect(findGateway(storage).secrets).toEqual([{ ...PASSWORD, use: 'password for the Redis of sessions', secret }]);
    const limits = 'config: { rateLimiting: { shared: { maxTokens: 1, refillPeriod: 1s } } }';
    expect(findGateway(`${storage}\n${limits}`).secrets).toEqual([
      { ...PASSWORD, use: 'password for the Redis of rate limits, password for the Redis of sessions', secret },
    ]);
  });

  test('the compiler reports a Redis database number next to sentinels as without effect', () => {
    const text = gatewayText({
      spec: 'sessionStorage: { provider: redis, db: 3, sentinelConfig: { masterName: main, sentinelAddrs: ["a:26379"] } }',
    });
    const { findings } = compile(readTexts([new SourceText('spec.yaml', text)]), {
      purpose: 'build',
      origin: { compilerVersion: '0.0.0', sourceRevision: null },
    });
    const about = findings.diagnostics.filter(({ pointer }) => pointer.startsWith('/spec/sessionStorage'));
    expect(about.map(({ code, message }) => [code, message])).toEqual([
      ['LNT1008', 'spec.sessionStorage.db has no effect: the database of sentinels is sentinelConfig.db'],
    ]);
  });

  test('the bundle lists no Secret for a session store in Redis that spec.config.sessionStorage configures', () => {
    const storage = 'config: { sessionStorage: { provider: redis, address: "redis:6379" } }';
    expect(findGateway(storage).secrets).toEqual([]);
  });
});

test.each(['', 'sessionStorage: { provider: memory }', 'config: { sessionStorage: { provider: memory } }'])(
  'the bundle configures sessions in memory for the spec %j',
  spec => {
    const bundle = findGateway(spec);
    expect('sessionStorage' in bundle).toBe(false);
    expect(bundle.requires).not.toContain('sessions-redis');
  },
);
