import { describe, expect, test } from 'vitest';
import { MemorySessions } from '../../../runtime/shared-sessions/memory-store.ts';
import { formatSessionKey, type ReplicaMessage, StoreAwayError } from '../../../runtime/shared-sessions/store.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually } from '../../support/process.ts';
import { memoryStore, primaryStore, redisStore, type TestStore } from './stores.ts';

/** Much longer than a few commands take, even on a busy machine. */
const SHORT_MS = 1_000;
const LONG_MS = 600_000;

function suite(start: () => Promise<TestStore>): void {
  test('a replica loads the session that another replica stored', async () => {
    await using store = await start();
    const [one, other] = [await store.join(), await store.join()];
    expect(one.replica).not.toBe(other.replica);
    await one.create('s', { owner: 'ann', level: 'info' }, LONG_MS);
    expect(await other.load('s', LONG_MS)).toEqual({ owner: 'ann', level: 'info' });
    expect(await other.change('s', { level: null, 'b:jira': '7' })).toBe(true);
    expect(await one.load('s', LONG_MS)).toEqual({ owner: 'ann', 'b:jira': '7' });
  });

  test('a session in the store expires, and each use prolongs it', async () => {
    await using store = await start();
    const one = await store.join();
    await one.create('short', { owner: 'ann' }, SHORT_MS);
    await one.create('kept', { owner: 'ann' }, SHORT_MS);
    await one.create('loaded', { owner: 'ann' }, SHORT_MS);
    await one.create('seen', { owner: 'ann' }, SHORT_MS);
    expect(await one.load('seen', 0)).toEqual({ owner: 'ann' });
    await one.keep(['kept'], LONG_MS);
    await one.load('loaded', LONG_MS);
    await eventually(async () => (await one.existing(['short', 'seen'])).size === 0);
    expect(await one.existing(['short', 'seen', 'kept', 'loaded'])).toEqual(new Set(['kept', 'loaded']));
    expect(await one.keep(['short', 'kept'], LONG_MS)).toEqual(new Set(['kept']));
    expect(await one.load('short', LONG_MS)).toBeUndefined();
  });

  test('the store writes no change to a session that has ended', async () => {
    await using store = await start();
    const one = await store.join();
    await one.create('s', { owner: 'ann' }, LONG_MS);
    expect(await one.end('s')).toBe(true);
    expect(await one.end('s')).toBe(false);
    expect(await one.change('s', { level: 'info' })).toBe(false);
    expect(await one.claim('s', 'b:jira', '7', undefined)).toBeUndefined();
    await one.keepEvent('s', { stream: '1', position: 1, text: 'x' }, LONG_MS);
    expect(await one.events('s', '1')).toEqual([]);
    expect(await one.load('s', LONG_MS)).toBeUndefined();
  });

  test('all replicas get the same secret from the store, namely the first secret that any replica proposed', async () => {
    await using store = await start();
    const replicas = [await store.join(), await store.join(), await store.join()];
    const told = new Set(await Promise.all(replicas.map((replica, at) => replica.secret(`secret-${at}`))));
    expect(told.size).toBe(1);
    const [secret] = told;
    expect(await (await store.join()).secret('late')).toBe(secret);
    store.away(true);
    await expect(replicas[0]?.secret('x')).rejects.toThrow(StoreAwayError);
    store.away(false);
    await eventually(async () => (await replicas[0]?.secret('x').catch(() => undefined)) === secret);
  });

  test('of several replicas that claim a field of a session, one wins, and only a replica that names the current value may replace it', async () => {
    await using store = await start();
    const replicas = [await store.join(), await store.join()];
    const [one] = replicas as [(typeof replicas)[0]];
    await one.create('s', { owner: 'ann' }, LONG_MS);
    const claims = Array.from({ length: 20 }, (_, at) =>
      (replicas[at % 2] as typeof one).claim('s', 'b:jira', `${at}`, undefined),
    );
    const winners = new Set(await Promise.all(claims));
    expect(winners.size).toBe(1);
    const [winner] = winners;
    expect(await one.claim('s', 'b:jira', 'next', 'another')).toBe(winner);
    expect(await one.claim('s', 'b:jira', 'next', winner)).toBe('next');
  });

  test('the store sends the changes and the end of a session to all other replicas, and names the session by a key in place of its id', async () => {
    await using store = await start();
    const [one, other, third] = [await store.join(), await store.join(), await store.join()];
    const received: ReplicaMessage[] = [];
    for (const listener of [one, other, third]) listener.onMessage(message => received.push(message));
    await one.create('the-id', { owner: 'ann' }, LONG_MS);
    await one.change('the-id', { level: 'debug' });
    await one.end('the-id');
    await eventually(() => received.length === 4);
    const session = formatSessionKey('the-id');
    const from = one.replica;
    expect(received.filter(({ type }) => type === 'changed')).toEqual([
      { type: 'changed', session, from, fields: { level: 'debug' } },
      { type: 'changed', session, from, fields: { level: 'debug' } },
    ]);
    expect(received.filter(({ type }) => type === 'ended')).toEqual([
      { type: 'ended', session, from },
      { type: 'ended', session, from },
    ]);
    expect(JSON.stringify(received)).not.toContain('the-id');
  });

  test('the store sends a message to one replica alone, and knows when a replica has left', async () => {
    await using store = await start();
    const [one, other, third] = [await store.join(), await store.join(), await store.join()];
    const received: string[] = [];
    for (const [name, listener] of [
      ['one', one],
      ['other', other],
      ['third', third],
    ] as const) {
      listener.onMessage(({ text }) => received.push(`${name} ${text}`));
    }
    for (let at = 0; at < 100; at++) {
      expect(await one.send(other.replica, { type: 'answer', session: 's', text: `${at}` })).toBe(true);
    }
    await eventually(() => received.length === 100);
    expect(received).toEqual(Array.from({ length: 100 }, (_, at) => `other ${at}`));
    expect(await one.isAlive(third.replica)).toBe(true);
    third.close();
    await eventually(async () => !(await one.isAlive(third.replica)));
    expect(await one.send(third.replica, { type: 'answer', session: 's', text: '' })).toBe(false);
  });

  test('the store keeps the events of each stream in order, within their limits', async () => {
    await using store = await start();
    const [one, other] = [await store.join(), await store.join()];
    await one.create('s', { owner: 'ann' }, LONG_MS);
    await one.keepEvent('s', { stream: '1', position: 1, text: 'id: 1-1\ndata: a\n\n' }, LONG_MS);
    await one.keepEvent('s', { stream: '2', position: 1, text: 'other' }, LONG_MS);
    await one.keepEvent('s', { stream: '1', position: 2, text: 'b' }, LONG_MS);
    expect(await other.events('s', '1')).toEqual([
      { stream: '1', position: 1, text: 'id: 1-1\ndata: a\n\n' },
      { stream: '1', position: 2, text: 'b' },
    ]);
    for (let position = 1; position <= 300; position++)
      await one.keepEvent('s', { stream: '3', position, text: 'x' }, LONG_MS);
    const kept = await other.events('s', '3');
    expect(kept).toHaveLength(256);
    expect(kept.at(-1)?.position).toBe(300);
    const large = 'x'.repeat(400_000);
    for (let position = 1; position <= 4; position++)
      await one.keepEvent('s', { stream: '4', position, text: large }, LONG_MS);
    expect((await other.events('s', '4')).map(({ position }) => position)).toEqual([3, 4]);
    expect(await other.events('s', '3')).toEqual([]);
  });

  test('an unavailable store rejects every operation with StoreAwayError, and recovers by itself', async () => {
    await using store = await start();
    const one = await store.join();
    await one.create('s', { owner: 'ann' }, LONG_MS);
    store.away(true);
    await eventually(() => !one.isFresh);
    await expect(one.load('s', LONG_MS)).rejects.toThrow(StoreAwayError);
    await expect(one.create('t', { owner: 'ann' }, LONG_MS)).rejects.toThrow(StoreAwayError);
    await expect(one.end('s')).rejects.toThrow(StoreAwayError);
    await expect(one.keep(['s'], LONG_MS)).rejects.toThrow(StoreAwayError);
    store.away(false);
    await eventually(() => one.isFresh);
    expect(await eventually(() => one.load('s', LONG_MS).catch(() => undefined))).toEqual({ owner: 'ann' });
  });
}

describe('in memory', () => suite(memoryStore));
describe('in the memory of another process', () => {
  suite(primaryStore);

  test('while the process of a session store hangs, operations fail, and no message is lost', async () => {
    await using store = await primaryStore();
    const [one, other] = [await store.join(), await store.join()];
    const received: ReplicaMessage[] = [];
    other.onMessage(message => received.push(message));
    await one.create('s', { owner: 'ann' }, LONG_MS);
    store.hang(true);
    await expect(one.change('s', { level: 'debug' })).rejects.toThrow(StoreAwayError);
    await eventually(() => !one.isFresh);
    store.hang(false);
    await eventually(() => one.isFresh && received.length === 1);
    expect(await other.load('s', 0)).toEqual({ owner: 'ann', level: 'debug' });
  });
});
withPeers('redis-server').describe('in Redis', () => suite(redisStore));

describe('in memory, with all sessions together', () => {
  const MINUTE_MS = 60_000;

  test('at its limit, the session store in memory drops sessions that were never used', async () => {
    let now = 0;
    const all = new MemorySessions(() => now);
    const one = all.join();
    const received: ReplicaMessage[] = [];
    one.onMessage(message => received.push(message));
    for (let at = 0; at < 10_000; at++) await one.create(`s${at}`, {}, LONG_MS);
    await expect(one.create('more', {}, LONG_MS), 'any of them may be in use').rejects.toThrow(StoreAwayError);
    await one.load('s0', 0);
    now = 3 * MINUTE_MS;
    await one.create('more', {}, LONG_MS);
    expect(await one.existing(['s0', 's1', 's2', 'more'])).toEqual(new Set(['s0', 's2', 'more']));
    expect(received).toEqual([{ type: 'ended', session: formatSessionKey('s1'), from: 0 }]);
    expect(all.size).toBe(10_000);
  });

  test('the session store in memory drops expired sessions and events', async () => {
    let now = 0;
    const all = new MemorySessions(() => now);
    const one = all.join();
    await one.create('s', {}, 10 * MINUTE_MS);
    await one.keepEvent('s', { stream: '1', position: 1, text: 'x'.repeat(1_000) }, 5 * MINUTE_MS);
    expect(all.eventBytes).toBe(1_000);
    now = 6 * MINUTE_MS;
    expect(await one.events('s', '1')).toEqual([]);
    all.sweep();
    expect([all.eventBytes, all.size]).toEqual([0, 1]);
    now = 11 * MINUTE_MS;
    all.sweep();
    expect(all.size).toBe(0);
  });

  test('the session store in memory limits the events of all sessions together, and drops those of the longest silent session', async () => {
    const all = new MemorySessions();
    const one = all.join();
    const text = 'x'.repeat(1_000_000);
    for (let at = 0; at < 70; at++) {
      await one.create(`s${at}`, {}, LONG_MS);
      await one.keepEvent(`s${at}`, { stream: '1', position: 1, text }, LONG_MS);
    }
    expect(all.eventBytes).toBeLessThanOrEqual(64 * 1024 * 1024);
    expect(await one.events('s0', '1')).toEqual([]);
    expect(await one.events('s69', '1')).toHaveLength(1);
  });
});
