/** What the authorization server expects of each store, and replicas of a shared store. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CLIENT_SAFE_MS, MAX_ENTRIES, MemoryStore } from '../../../runtime/authserver/storage/memory-store.ts';
import {
  type Area,
  type Store,
  StoreFullError,
  StoreUnavailableError,
} from '../../../runtime/authserver/storage/store.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisCluster, RedisSentinelSet, RedisServer, redisPlan } from '../../support/redis-server.ts';
import { memoryReplicas, redisReplicas, type TestReplicas } from './stores.ts';

const PASSWORD = 'correct-horse-battery';

async function onServer(): Promise<TestReplicas> {
  const server = await RedisServer.start();
  return redisReplicas(redisPlan({ addresses: [server.address] }), server);
}

/** An ACL user with only the permissions in the manual, over TLS with a private authority. */
async function onSecuredServer(): Promise<TestReplicas> {
  const rules = '~lintel:auth:* +@read +@write +@scripting +@connection +info';
  const server = await RedisServer.start({
    tls: true,
    settings: [`user lintel on >${PASSWORD} ${rules}`, 'user default off'],
  });
  const [username, password] = [join(server.folder, 'user'), join(server.folder, 'password')];
  await writeFile(username, 'lintel');
  await writeFile(password, PASSWORD);
  const file = (path: string) => ({ env: null, file: path });
  const plan = redisPlan({
    addresses: [server.address],
    username: file(username),
    password: file(password),
    tls: { ca: file(server.caFile), insecureSkipVerify: false },
  });
  return redisReplicas(plan, server);
}

async function onCluster(): Promise<TestReplicas> {
  const cluster = await RedisCluster.start();
  return redisReplicas(redisPlan({ addresses: cluster.addresses, mode: 'cluster' }), cluster);
}

async function onSentinels(): Promise<TestReplicas> {
  const set = await RedisSentinelSet.start();
  const addresses = set.sentinels.map(({ address }) => address);
  return redisReplicas(redisPlan({ mode: 'sentinel', addresses, masterName: 'main' }), set);
}

describe('in memory', () => eachStore(async () => memoryReplicas()));
withPeers('redis-server').describe('in Redis', () => eachStore(onServer));
withPeers('redis-server').describe('in Redis, over TLS as an ACL user', () => eachStore(onSecuredServer));
withPeers('redis-server').describe('in a cluster of three', () => eachStore(onCluster));
withPeers('redis-server', 'redis-sentinel').describe('in Redis behind sentinels', () => eachStore(onSentinels));

function eachStore(start: () => Promise<TestReplicas>): void {
  let replicas: TestReplicas;
  let store: Store;
  let other: Store;
  beforeAll(async () => {
    replicas = await start();
    [store, other] = [await replicas.replica(), await replicas.replica()];
  });
  afterAll(() => replicas[Symbol.asyncDispose]());

  const put = (area: Area, name: string, value: object, more: { ttlSeconds?: number | null; group?: string } = {}) =>
    store.put(area, name, { ...value }, { ttlSeconds: 60, ...more });

  test('every replica finds an entry of the store by its kind and name until a replica deletes the entry', async () => {
    await put('client', 'a', { text: 'é\n"\u0000', list: [1, null], deep: { yes: true } });
    expect(await other.get('client', 'a')).toEqual({ text: 'é\n"\u0000', list: [1, null], deep: { yes: true } });
    expect(await other.get('grant', 'a')).toBeUndefined();
    expect(await other.get('client', 'b')).toBeUndefined();
    await put('client', 'a', { text: 'new' });
    expect(await other.get('client', 'a')).toEqual({ text: 'new' });
    await other.delete('client', 'a');
    expect(await store.get('client', 'a')).toBeUndefined();
  });

  test('a gateway sees no entry that a gateway with another name has put into the same store', async () => {
    const stranger = await replicas.replica('two');
    await put('code', 'shared name', { of: 'one' }, { group: 'shared group' });
    expect(await stranger.get('code', 'shared name')).toBeUndefined();
    expect(await stranger.take('code', 'shared name')).toBeUndefined();
    expect(await stranger.use('code', 'shared name', 1)).toBeUndefined();
    expect(await stranger.listGroup('shared group', 'code')).toEqual([]);
    await stranger.deleteGroup('shared group');
    await stranger.delete('code', 'shared name');
    expect(await stranger.lock('shared lock', 60_000)).toBeDefined();
    expect(await store.lock('shared lock', 60_000)).toBeDefined();
    expect(await store.get('code', 'shared name')).toEqual({ of: 'one' });
  });

  test('an entry of the store expires after its lifetime, and touch() extends the lifetime', async () => {
    await put('pending', 'short', {}, { ttlSeconds: 1 });
    await put('pending', 'touched', {}, { ttlSeconds: 1, group: 'touched ones' });
    await put('pending', 'for ever', {}, { ttlSeconds: null });
    const touched = [
      ['pending', 'touched'],
      ['pending', 'never there'],
    ] as const;
    await other.touch(touched, 600, 'touched ones');
    await expect.poll(() => store.get('pending', 'short')).toBeUndefined();
    expect(await store.get('pending', 'touched')).toEqual({});
    expect(await store.get('pending', 'never there')).toBeUndefined();
    expect(await store.get('pending', 'for ever')).toEqual({});
    await put('pending', 'late', {}, { group: 'touched ones' });
    expect(await store.listGroup('touched ones', 'pending'), 'both are still known as its members').toHaveLength(2);
  });

  test('when many callers take one entry out of the store at once, only one of them gets it', async () => {
    await put('pending', 'taken', { a: 1 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => [store, other][at % 2]?.take('pending', 'taken')),
    );
    expect(answers.filter(answer => answer !== undefined)).toEqual([{ a: 1 }]);
    expect(await store.get('pending', 'taken')).toBeUndefined();
  });

  test('the store numbers concurrent uses of an entry without gaps, and of concurrent requests to restart the numbering only one does so', async () => {
    expect(await store.use('refresh', 'nothing', 7)).toBeUndefined();
    await put('refresh', 'used', { a: 'x\ny' }, { ttlSeconds: 60 });
    const uses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => [store, other][at % 2]?.use('refresh', 'used', 7)),
    );
    expect(uses.map(use => use?.times).sort((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 1),
    );
    expect(new Set(uses.map(use => use?.firstAt))).toEqual(new Set([7]));
    expect(await other.get('refresh', 'used')).toEqual({ a: 'x\ny', consumed: 7 });
    expect(await store.use('refresh', 'used', 30, 6), 'it was first used at another time').toEqual({
      times: 21,
      firstAt: 7,
    });
    const anew = await Promise.all([store, other, store, other].map(one => one.use('refresh', 'used', 30, 7)));
    expect(anew.map(use => use?.times).sort()).toEqual([1, 2, 3, 4]);
    expect(await store.get('refresh', 'used')).toEqual({ a: 'x\ny', consumed: 30 });
    await put('refresh', 'used', { b: 1 });
    expect(await store.get('refresh', 'used'), 'another entry of the name').toEqual({ b: 1 });
  });

  test('the store lists the entries of a group that have one kind, and deletes a group with all its entries', async () => {
    await put('refresh', 'first', { n: 1 }, { group: 'family' });
    await put('refresh', 'with:colon', { n: 2 }, { group: 'family' });
    await put('grant', 'family', { n: 3 }, { group: 'family' });
    await put('refresh', 'stranger', { n: 4 }, { group: 'other family' });
    expect((await other.listGroup('family', 'refresh')).map(({ n }) => n).sort()).toEqual([1, 2]);
    await other.deleteGroup('family');
    expect(await store.get('refresh', 'first')).toBeUndefined();
    expect(await store.get('refresh', 'with:colon')).toBeUndefined();
    expect(await store.get('grant', 'family')).toBeUndefined();
    expect(await store.listGroup('family', 'refresh')).toEqual([]);
    expect(await store.get('refresh', 'stranger')).toEqual({ n: 4 });
    await store.deleteGroup('never there');
  });

  test('only one holder has a lock of the store at a time', async () => {
    const [release, ...more] = (await Promise.all([store, other, store].map(one => one.lock('work', 60_000)))).filter(
      one => one !== undefined,
    );
    expect([release, ...more]).toHaveLength(1);
    expect(await other.lock('other work', 60_000)).toBeDefined();
    await release?.();
    expect(await other.lock('work', 60_000)).toBeDefined();
    await release?.();
    expect(await store.lock('work', 60_000), 'who has let go cannot do so for the next').toBeUndefined();
  });
}

withPeers('redis-server').describe('Redis alone', () => {
  async function opened() {
    const server = await RedisServer.start();
    const replicas = redisReplicas(
      redisPlan({ addresses: [server.address], timeouts: { dialMs: 1_000, readMs: 150, writeMs: 50 } }),
      server,
    );
    onTestFinished(() => replicas[Symbol.asyncDispose]());
    return { server, store: await replicas.replica() };
  }

  test('a lock in Redis expires if its holder never releases it', async () => {
    const { store } = await opened();
    const release = await store.lock('work', 300);
    await expect.poll(() => store.lock('work', 60_000)).toBeDefined();
    await release?.();
    expect(await store.lock('work', 60_000), 'another has it now').toBeUndefined();
  });

  test('every key in Redis expires with its entry, and the list of a group in Redis loses expired entries', async () => {
    const { server, store } = await opened();
    await store.put('refresh', 'short', {}, { ttlSeconds: 1, group: 'family' });
    await store.put('refresh', 'long', {}, { ttlSeconds: 100, group: 'family' });
    await store.use('refresh', 'long', 1);
    await store.lock('work', 60_000);
    await expect.poll(() => store.get('refresh', 'short')).toBeUndefined();
    await store.put('refresh', 'longer', {}, { ttlSeconds: 200, group: 'family' });
    const [group] = (await server.tell('KEYS', '*group*')) as string[];
    expect(await server.tell('ZRANGE', group ?? '', '0', '-1')).toEqual(['refresh:long', 'refresh:longer']);
    const keys = (await server.tell('KEYS', '*')) as string[];
    expect(keys).toHaveLength(4);
    for (const key of keys) {
      expect(key).toMatch(/^lintel:auth:\{default:one\}:/);
      expect(Number(await server.tell('PTTL', key)), key).toBeGreaterThan(0);
    }
    expect(Number(await server.tell('PTTL', group ?? ''))).toBeGreaterThan(100_000);
  });

  test('the store reports a Redis that hangs, is full or has died as unavailable, with the reason', async () => {
    const { server, store } = await opened();
    expect(store.problem).toBeUndefined();
    await server.tell('CONFIG', 'SET', 'maxmemory', '1');
    await expect(store.put('client', 'a', {}, { ttlSeconds: 1 })).rejects.toThrow(StoreUnavailableError);
    await expect(store.put('client', 'a', {}, { ttlSeconds: 1, group: 'g' })).rejects.toThrow(/no memory left/);
    server.hang();
    await expect(store.get('client', 'a')).rejects.toThrow(StoreUnavailableError);
    server.goOn();
    await server.kill();
    await expect.poll(() => store.problem).toMatch(/^Redis at \S+: /);
    const steps: ((of: Store) => Promise<unknown>)[] = [
      of => of.get('client', 'a'),
      of => of.put('client', 'a', {}, { ttlSeconds: 1 }),
      of => of.take('client', 'a'),
      of => of.use('client', 'a', 1),
      of => of.touch([['client', 'a']], 1),
      of => of.delete('client', 'a'),
      of => of.listGroup('g', 'client'),
      of => of.deleteGroup('g'),
      of => of.lock('work', 1),
    ];
    for (const step of steps) await expect(step(store)).rejects.toThrow(StoreUnavailableError);
  });
});

describe('the store in memory', () => {
  function opened() {
    let now = 1_000_000;
    const store = new MemoryStore(() => now);
    onTestFinished(() => store.close());
    const wait = (ms: number) => {
      now += ms;
    };
    return { store, wait };
  }

  test('the store in memory drops the oldest entry when the entries of one kind exceed their limit', async () => {
    const { store } = opened();
    for (const area of ['pending', 'interaction', 'code'] as const) {
      for (let n = 0; n <= MAX_ENTRIES[area]; n++) await store.put(area, `${n}`, { n }, { ttlSeconds: 600 });
      expect(store.size(area)).toBe(MAX_ENTRIES[area]);
      expect(await store.get(area, '0')).toBeUndefined();
      expect(await store.get(area, '1')).toEqual({ n: 1 });
      expect(await store.get(area, `${MAX_ENTRIES[area]}`)).toBeDefined();
    }
  });

  test('the full store in memory refuses a new client until its oldest unrenewed client is an hour old, and then replaces that client', async () => {
    const { store, wait } = opened();
    for (let n = 0; n < MAX_ENTRIES.client; n++) await store.put('client', `${n}`, {}, { ttlSeconds: 1e6 });
    await expect(store.put('client', 'one more', {}, { ttlSeconds: 1e6 })).rejects.toThrow(StoreFullError);
    await store.put('client', '0', { again: true }, { ttlSeconds: 1e6 });
    wait(CLIENT_SAFE_MS);
    await store.put('client', 'one more', {}, { ttlSeconds: 1e6 });
    expect(store.size('client')).toBe(MAX_ENTRIES.client);
    expect(await store.get('client', '0'), 'it was renewed').toBeDefined();
    expect(await store.get('client', '1')).toBeUndefined();
  });

  test('the store in memory drops used refresh tokens before usable refresh tokens', async () => {
    const { store } = opened();
    await store.put('refresh', 'of another person', {}, { ttlSeconds: 600, group: 'another person' });
    for (let n = 0; n < MAX_ENTRIES.refresh + 10; n++) {
      await store.put('refresh', `${n}`, { n }, { ttlSeconds: 600, group: 'in a loop' });
      await store.use('refresh', `${n}`, 1);
    }
    expect(store.size('refresh')).toBe(MAX_ENTRIES.refresh);
    expect(await store.get('refresh', 'of another person')).toBeDefined();
    expect(await store.get('refresh', '10'), 'the one that was used first').toBeUndefined();
    expect(await store.get('refresh', '11'), 'its use would still end the family').toBeDefined();
    await store.deleteGroup('in a loop');
    await store.put('refresh', 'next', {}, { ttlSeconds: 600 });
    expect(store.size('refresh')).toBe(2);
  });

  test('the store in memory removes expired entries, also from groups', async () => {
    const { store, wait } = opened();
    for (let n = 0; n < 100; n++) await store.put('refresh', `${n}`, {}, { ttlSeconds: n < 50 ? 1 : 100, group: 'g' });
    wait(1_000);
    store.sweep();
    expect(store.size('refresh')).toBe(50);
    expect(await store.listGroup('g', 'refresh')).toHaveLength(50);
  });
});
