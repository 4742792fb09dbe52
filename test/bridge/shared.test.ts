/** A stdio server with one process for all sessions. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/process.ts';
import { call, connect, PEER, PLAIN, plan, type RunningBridge, startBridge } from './running-bridge.ts';

let bridge: RunningBridge;

beforeAll(async () => {
  const isShared = true;
  bridge = await startBridge({ peer: plan(PEER, { isShared }), plain: plan(PLAIN, { isShared }) });
});

afterAll(() => bridge[Symbol.asyncDispose]());

test('sessions of a shared stdio server use one process, and each gets the answers to its own calls', async () => {
  const sessions = await Promise.all(Array.from({ length: 5 }, () => connect(bridge.urlOf('peer'))));
  const pids = await Promise.all(sessions.map(({ client }) => call(client, 'pid')));
  expect(new Set(pids).size).toBe(1);
  const texts = sessions.map((_, index) => `text ${index}`);
  expect(await Promise.all(sessions.map(({ client }, index) => call(client, 'echo', { text: texts[index] })))).toEqual(
    texts,
  );
  for (const { transport } of sessions) await transport.terminateSession();
  await using later = await connect(bridge.urlOf('peer'));
  expect(await call(later.client, 'pid')).toBe(pids[0]);
});

test('only the session that made a call gets the progress of the call', async () => {
  await using one = await connect(bridge.urlOf('peer'));
  await using other = await connect(bridge.urlOf('peer'));
  const steps = async (client: Client, count: number) => {
    const seen: number[] = [];
    const params = { name: 'progress', arguments: { steps: count } };
    await client.callTool(params, undefined, { onprogress: ({ progress }) => void seen.push(progress) });
    return seen;
  };
  expect(await Promise.all([steps(one.client, 2), steps(other.client, 3)])).toEqual([
    [1, 2],
    [1, 2, 3],
  ]);
});

test('if one session cancels a call, the calls of other sessions that share the stdio server go on', async () => {
  await using one = await connect(bridge.urlOf('peer'));
  await using other = await connect(bridge.urlOf('peer'));
  const before = Number(await call(one.client, 'cancelled'));
  const cancel = new AbortController();
  const cancelled = one.client.callTool({ name: 'wait', arguments: {} }, undefined, { signal: cancel.signal });
  const outcome = expect(cancelled).rejects.toThrow();
  const kept = other.client.callTool({ name: 'wait', arguments: {} }).catch(() => 'closed');
  await call(other.client, 'count');
  cancel.abort();
  await outcome;
  await eventually(async () => Number(await call(one.client, 'cancelled')) === before + 1);
  // A request that the other session waits for ends with that session.
  await other.transport.terminateSession();
  await eventually(async () => Number(await call(one.client, 'cancelled')) === before + 2);
  await other.client.close();
  await kept;
});

test('a stdio server that sessions share cannot send requests to clients', async () => {
  await using peer = await connect(bridge.urlOf('peer'));
  await expect(call(peer.client, 'roots')).resolves.toMatch(/not support|requests to clients are not possible/i);
});

test('each session that subscribes to a resource is notified of changes, also after another session unsubscribes', async () => {
  const updates: string[] = [];
  const follow = async (name: string) => {
    const session = await connect(bridge.urlOf('plain'));
    session.client.setNotificationHandler(ResourceUpdatedNotificationSchema, () => void updates.push(name));
    return session;
  };
  await using one = await follow('one');
  await using _other = await follow('other');
  await using third = await follow('third');
  await one.client.subscribeResource({ uri: 'file:///a' });
  await third.client.subscribeResource({ uri: 'file:///a' });
  await call(one.client, 'any', { text: 'changed' });
  await eventually(() => updates.length === 2);
  expect(updates.sort()).toEqual(['one', 'third']);
  await one.client.unsubscribeResource({ uri: 'file:///a' });
  await call(one.client, 'any', { text: 'changed' });
  await eventually(() => updates.length === 3);
  expect(updates.sort()).toEqual(['one', 'third', 'third']);
});

test('all sessions of a shared process end when it crashes, and the next session gets a new process', async () => {
  const one = await connect(bridge.urlOf('peer'));
  const other = await connect(bridge.urlOf('peer'));
  const before = await call(one.client, 'pid');
  await expect(call(one.client, 'crash')).rejects.toThrow(/exit code 7/);
  await expect(other.client.listTools()).rejects.toThrow(/no such session/);
  await using next = await connect(bridge.urlOf('peer'));
  expect(await call(next.client, 'pid')).not.toBe(before);
});
