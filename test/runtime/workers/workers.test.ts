/** One gateway with several processes; each request of a client reaches the next of them. */
import { expect, test } from 'vitest';
import { isRunning } from '../../support/child-processes.ts';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { call, createWire, disposable } from '../scale-out/wire.ts';
import { startHeldBackend } from './held-backend.ts';
import { oneConnection, startTree } from './worker-tree.ts';

const startBackend = () => disposable(startSdkServer({ transport: 'streamable-http' }));

const wire = createWire(oneConnection);
const { post } = wire;

/** A worker that has just started may refuse a session until it has reached the primary. */
const openSession = (url: string) => eventually(() => wire.openSession(url).catch(() => undefined));

test('another process replaces a killed worker, and the other workers continue', async () => {
  await using tree = await startTree({ backends: [] });
  const pidsByWorker = async () => new Map((await tree.status()).workers.map(({ worker, pid }) => [worker, pid]));
  const before = await pidsByWorker();
  await tree.kill(1);
  await eventually(async () => (await tree.status()).replacedWorkers === 1);
  await eventually(async () => (await pidsByWorker()).size === 2);
  const after = await pidsByWorker();
  expect(after.get(2)).toBe(before.get(2));
  expect([...before.values()]).not.toContain(after.get(1));
});

test('a rate limit without Redis is one limit for all workers', async () => {
  await using backend = await startBackend();
  const backends = [backendPlan('one', backend.peer.url)];
  const limit = { maxTokens: 10, refillPeriodMs: 3_600_000 };
  const rateLimiting = { store: null, shared: limit, perUser: null, tools: [] };
  await using tree = await startTree({ backends, rateLimiting });
  const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(tree.url)));
  const calls = Array.from({ length: 40 }, (_, at) => post(tree.url, call(at, 'one_echo'), sessions[at % 4]));
  const texts = await Promise.all((await Promise.all(calls)).map(answer => answer.text()));
  expect(texts.filter(text => text.includes('"isError":true') || text.includes('"error"'))).toHaveLength(30);
  expect((await tree.status()).rateLimiting).toEqual({
    store: 'memory',
    limits: [{ scope: 'shared', tool: null, ...limit, rejected: 30 }],
    allowed: 10,
    rejected: 30,
    failOpen: { active: false, calls: 0, reason: null },
    buckets: { kept: 1, forgotten: 0 },
  });
  // A new bucket would be full. The next token comes after an hour, so the bucket that is kept stays empty however slow the machine is.
  const raised = { maxTokens: 1_000, refillPeriodMs: 1_000 * limit.refillPeriodMs };
  await tree.replace({ backends, rateLimiting: { ...rateLimiting, shared: raised } });
  await eventually(async () => (await tree.status()).rateLimiting?.limits[0]?.maxTokens === 1_000);
  expect(await (await post(tree.url, call(99, 'one_echo'), sessions[0])).text()).toContain('isError');
});

test('/status and metrics cover all workers together', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  // A worker that has just started may refuse a session until it has reached the primary.
  const connect = () => eventually(() => tree.connect().catch(() => undefined));
  const clients = await Promise.all(Array.from({ length: 5 }, connect));
  for (const client of clients) {
    for (let at = 0; at < 6; at++) await client.callTool({ name: 'one_echo', arguments: { at } });
  }
  const { sessions, workers } = await tree.status();
  expect(sessions, 'each once').toBe(5);
  expect(workers.map(({ worker, sessions: here }) => [worker, here])).toEqual([
    [1, 5],
    [2, 5],
  ]);
  const text = await (await fetch(`${tree.internalUrl}/metrics`)).text();
  const value = (name: RegExp) =>
    [...text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)].filter(([line]) => name.test(line)).map(([, , , at]) => Number(at));
  expect(value(/^mcp_server_operation_duration_seconds_count\{.*tools\/call/)).toEqual([30]);
  expect(value(/^process_cpu_seconds_total\{worker="(?:1|2|primary)"\}/)).toHaveLength(3);
  expect(value(/gateway_ready/)).toEqual([1]);
  expect(value(/^lintel_mcp_active_connections\{.*"session".*"streamable-http"/), 'each once').toEqual([5]);
  for (const client of clients) await client.close();
});

test('all workers change to a new bundle in one step, under load', async () => {
  await using backend = await startBackend();
  const bundle = (prefix: string) => ({
    backends: [backendPlan('one', backend.peer.url, { tools: { prefix, advertise: { type: 'all' }, overrides: {} } })],
  });
  await using tree = await startTree(bundle('v0_'));
  const sessions = await Promise.all(Array.from({ length: 6 }, () => openSession(tree.url)));
  let isOver = false;
  const versions = sessions.map(async session => {
    const seen: number[] = [];
    while (!isOver) {
      const text = await (await post(tree.url, { id: seen.length, method: 'tools/list', params: {} }, session)).text();
      const found = new Set([...text.matchAll(/"name":"v(\d+)_/g)].map(([, version]) => Number(version)));
      expect([...found], text.slice(0, 200)).toHaveLength(1);
      seen.push(...found);
    }
    return seen;
  });
  for (let version = 1; version <= 5; version++) {
    await tree.replace(bundle(`v${version}_`));
    await eventually(async () => {
      const text = await (await post(tree.url, { id: 'look', method: 'tools/list', params: {} }, sessions[0])).text();
      return text.includes(`"v${version}_`);
    });
  }
  isOver = true;
  for (const seen of await Promise.all(versions)) {
    expect(seen, 'never back to an older one').toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(5);
  }
});

test('all workers refuse a bundle that one worker cannot serve, and a worker that starts afterwards serves the former bundle', async () => {
  await using backend = await startBackend();
  const good = { backends: [backendPlan('one', backend.peer.url)] };
  await using tree = await startTree(good);
  const { bundle } = await tree.status();
  // The bundle is valid, but the policy engine in the worker finds an error in its policy.
  await tree.replace({ ...good, authorization: cedarPlan(['permit(']) });
  const refused = await eventually(async () => (await tree.status()).bundle.refused);
  expect(refused).toContain('bundle.json: ');
  await tree.kill(1);
  await eventually(async () => (await tree.status()).replacedWorkers === 1);
  await eventually(async () => (await tree.status()).workers.length === 2);
  expect((await tree.status()).bundle.digest).toBe(bundle.digest);
  const client = await tree.connect();
  for (let at = 0; at < 4; at++) {
    expect((await client.callTool({ name: 'one_echo', arguments: {} })).isError).not.toBe(true);
  }
  await client.close();
});

test('a runtime with several workers that gets SIGTERM lets running calls end, and then ends all workers', async () => {
  await using backend = await startHeldBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.url)] });
  const { workers } = await tree.status();
  const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(tree.url)));
  const running = sessions.map(session => post(tree.url, call(1, 'one_wait'), session));
  await eventually(() => backend.running === 4);
  tree.program.kill('SIGTERM');
  await eventually(async () => (await fetch(`${tree.internalUrl}/readyz`)).status === 503);
  await eventually(async () => (await oneConnection(tree.url).catch(() => undefined)) === undefined);
  backend.release();
  for (const answer of await Promise.all(running)) expect(await answer.text()).toContain('waited');
  expect(await tree.program.exitCode()).toBe(0);
  expect(workers.filter(({ pid }) => isRunning(pid))).toEqual([]);
});

test('workers end when their primary is killed', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const { workers } = await tree.status();
  tree.program.kill('SIGKILL');
  await eventually(() => workers.every(({ pid }) => !isRunning(pid)));
});
