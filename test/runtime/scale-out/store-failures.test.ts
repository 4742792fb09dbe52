/** A failing session store: what a replica has cached still works, and no unknown session is accepted. */
import { expect } from 'vitest';
import type { RedisPlan } from '#schemas';
import { RedisKeys } from '../../../runtime/redis/keys.ts';
import { formatSessionKey } from '../../../runtime/shared-sessions/store.ts';
import { builtFrom, gatewayText } from '../../compiler/manifests/build.ts';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisCluster, RedisSentinelSet, RedisServer, redisPlan } from '../../support/redis-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { backendsAreReady, fetchStoreGauge, fetchStoreStatus, Replicas } from './replicas.ts';
import { stateless } from './stateless-peers.ts';
import { call, disposable, INITIALIZE, openSession, post, reading } from './wire.ts';

const TIMEOUTS = { dialMs: 2_000, readMs: 1_000, writeMs: 1_000 };

/** The Redis in a spec, as the gateway connects to it. */
function redisOf(spec: string): RedisPlan {
  const { bundle } = builtFrom(gatewayText({ spec }));
  if (bundle.kind !== 'gateway' || bundle.sessionStorage === undefined) throw new Error('no shared sessions');
  return bundle.sessionStorage.redis;
}

const opens = async (url: string) => (await post(url, INITIALIZE)).status;

/** Waits until each replica opens sessions. */
async function allOpen({ urls }: Replicas): Promise<void> {
  for (const url of urls) await eventually(async () => (await opens(url)) === 200);
}

withPeers('redis-server', 'redis-sentinel').test(
  'replicas follow sentinels that name another Redis primary, and no session is lost',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using set = await RedisSentinelSet.start();
    const addresses = set.sentinels.map(({ address }) => address);
    const redis = redisOf(`sessionStorage:
  provider: redis
  sentinelConfig: { masterName: main, sentinelAddrs: ${JSON.stringify(addresses)} }
`);
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { redis });
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one);
    expect((await post(one, call(1, 'one_echo'), session)).status).toBe(200);
    await set.failOver();
    expect((await post(one, call(2, 'one_echo'), session)).status, 'goes on meanwhile').toBe(200);
    await allOpen(replicas);
    expect((await post(other, call(3, 'one_echo'), session)).status).toBe(200);
  },
);

withPeers('redis-server', 'redis-sentinel').test(
  'the answer of a person at another replica reaches the backend that asked, although the Redis primary is away meanwhile',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using set = await RedisSentinelSet.start();
    const redis = redisPlan({
      mode: 'sentinel',
      masterName: 'main',
      addresses: set.sentinels.map(({ address }) => address),
    });
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { redis });
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one, { elicitation: {} });
    for (const url of [one, other]) expect((await post(url, call(1, 'one_echo'), session)).status).toBe(200);
    const asked = await post(one, call(2, 'one_elicit'), session);
    const read = reading(asked);
    const question = () => /"id":"(lintel-q[\d.]+)"/.exec(read.text)?.[1];
    await eventually(() => question() !== undefined);
    await set.replicated();
    await (await set.primary()).kill();
    const answer = { id: question(), result: { action: 'accept', content: { name: 'Ada' } } };
    expect((await post(other, answer, session)).status).toBe(202);
    await eventually(() => read.text.includes('Ada'));
  },
);

withPeers('redis-server').test(
  'sessions and messages of replicas follow a Redis cluster slot that moves to another node',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using cluster = await RedisCluster.start();
    const redis = redisPlan({ mode: 'cluster', addresses: cluster.addresses, timeouts: TIMEOUTS });
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { redis });
    const [one, other, third] = replicas.urls as [string, string, string];
    const session = await openSession(one);
    const keys = new RedisKeys('lintel:', { namespace: 'default', name: 'test' });
    await cluster.move(keys.formatKey('session', formatSessionKey(session)));
    await eventually(async () => (await post(other, call(1, 'one_echo'), session)).status === 200);
    await cluster.move(keys.formatKey('replicas', ''));
    await allOpen(replicas);
    expect((await post(third, call(2, 'one_echo'), session)).status).toBe(200);
    const ended = await fetch(third, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
    expect(ended.status).toBe(204);
    for (const url of [one, other]) {
      await eventually(async () => (await post(url, { id: 3, method: 'ping' }, session)).status === 404);
    }
  },
);

withPeers('redis-server').test(
  'replicas with a full Redis open no session, and serve the existing sessions at every replica',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one);
    expect((await post(one, call(1, 'one_echo'), session)).status).toBe(200);
    await replicas.redis.tell('CONFIG', 'SET', 'maxmemory', '1');
    const refused = await post(one, INITIALIZE);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    for (const url of [one, other]) {
      expect(await (await post(url, call(2, 'one_echo', { at: 2 }), session)).text()).toContain('result');
    }
    await replicas.redis.tell('CONFIG', 'SET', 'maxmemory', '0');
    await allOpen(replicas);
  },
);

withPeers('redis-server').test(
  'a hanging Redis delays each request by a limited time, and replicas use it again when it answers',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using server = await RedisServer.start();
    const timeouts = { dialMs: 300, readMs: 200, writeMs: 100 };
    const redis = redisPlan({ addresses: [server.address], timeouts });
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { redis });
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one);
    expect((await post(one, call(1, 'one_echo'), session)).status).toBe(200);
    server.hang();
    const opening = await post(other, INITIALIZE);
    expect([opening.status, opening.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    for (let id = 2; id < 12; id++) {
      expect(await (await post(one, call(id, 'one_echo', { id }), session)).text()).toContain('result');
    }
    server.goOn();
    await allOpen(replicas);
    await eventually(async () => (await post(other, call(20, 'one_echo'), session)).status === 200);
  },
);

withPeers('redis-server').test(
  'a gateway with a wrong Redis password serves no client and shows the password nowhere, and uses a corrected password',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    const password = 'the-first-one';
    await using server = await RedisServer.start({ settings: [`requirepass ${password}`], password });
    const redis = redisPlan({
      addresses: [server.address],
      password: { env: 'LINTEL_SESSION_REDIS_PASSWORD', file: null },
      timeouts: TIMEOUTS,
    });
    await using replicas = await Replicas.start(
      { backends: [backendPlan('one', backend.peer.url)] },
      { redis, count: 1, env: { LINTEL_SESSION_REDIS_PASSWORD: 'another-one' }, isStoreThere: false },
    );
    const [{ url, internalUrl, program }] = replicas.replicas as [(typeof replicas.replicas)[0]];
    await eventually(async () => (await fetchStoreStatus(internalUrl)).problem !== null);
    const store = await fetchStoreStatus(internalUrl);
    expect(store).toMatchObject({ provider: 'redis', ready: false });
    expect(store.problem).toContain('password');
    expect(await fetchStoreGauge(internalUrl)).toBe(0);
    expect((await post(url, INITIALIZE)).status).toBe(503);
    expect((await post(url, call(1, 'one_echo'), crypto.randomUUID())).status).toBe(503);
    expect(JSON.stringify(store) + program.stderr.text + program.stdout.text).not.toContain('another-one');
    await server.tell('CONFIG', 'SET', 'requirepass', 'another-one');
    await eventually(async () => (await post(url, INITIALIZE)).status === 200);
    expect(await fetchStoreStatus(internalUrl)).toEqual({ provider: 'redis', ready: true, problem: null });
    expect(await fetchStoreGauge(internalUrl)).toBe(1);
  },
);

withPeers('redis-server').test(
  'stateless clients list and call tools at every replica while Redis is down, also at a replica that starts then',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using modern = await disposable(startStatelessServer());
    const backends = [backendPlan('one', backend.peer.url), backendPlan('modern', modern.peer.url)];
    await using server = await RedisServer.start();
    const redis = redisPlan({ addresses: [server.address], timeouts: TIMEOUTS });
    await using replicas = await Replicas.start({ backends }, { redis, count: 2 });
    await server.kill();
    await using late = await Replicas.start({ backends }, { redis, count: 1, isStoreThere: false });
    const ask = stateless();
    for (const replica of [...replicas.replicas, ...late.replicas]) {
      await backendsAreReady(replica);
      expect((await fetchStoreStatus(replica.internalUrl)).ready).toBe(false);
      const { url } = replica;
      expect((await ask(url, 'tools/list', {})).result.tools.length).toBeGreaterThan(1);
      for (const name of ['one_echo', 'modern_echo'])
        expect((await ask(url, 'tools/call', { name, arguments: {} })).result, name).toHaveProperty('content');
      expect(await opens(url), 'a session needs the store').toBe(503);
    }
  },
);
