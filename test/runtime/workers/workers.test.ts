/** One gateway that several processes serve; each request of a client comes to the next of them. */
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHAIN_START, parseChainPosition } from '#schemas';
import { statelessCall, statelessHead } from '../../bench/gateway/calls.ts';
import { isRunning } from '../../support/child-processes.ts';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { AUDIT } from '../audit/audited-gateway.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { type HeldBackend, startHeldBackend } from './held-backend.ts';
import { oneConnection, startTree, type Tree } from './worker-tree.ts';

async function disposable<T extends { close(): Promise<void> }>(opening: Promise<T>) {
  const peer = await opening;
  return { peer, [Symbol.asyncDispose]: () => peer.close() };
}

const startBackend = () => disposable(startSdkServer({ transport: 'streamable-http' }));

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

function post(url: string, message: object, session?: string): Promise<Response> {
  const headers = { ...ACCEPT, ...(session === undefined ? {} : { 'mcp-session-id': session }) };
  return oneConnection(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
}

async function openSession(url: string): Promise<string> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const answer = await post(url, { id: 'init', method: 'initialize', params });
  expect(answer.status).toBe(200);
  await answer.text();
  return answer.headers.get('mcp-session-id') as string;
}

const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('any worker serves a session, with one session at the backend', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const before = backend.peer.initializations;
  const clients = await Promise.all(Array.from({ length: 5 }, () => tree.connect()));
  for (const client of clients) {
    for (let at = 0; at < 6; at++) {
      const result = await client.callTool({ name: 'one_echo', arguments: { at } });
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ at }) }]);
    }
  }
  expect(backend.peer.initializations - before).toBe(5);
  const { sessions, workers } = await tree.status();
  expect(sessions, 'each once').toBe(5);
  expect(workers.map(({ worker, sessions: here }) => [worker, here])).toEqual([
    [1, 5],
    [2, 5],
  ]);
  for (const client of clients) await client.close();
});

test('a worker that is killed is replaced, and no session is lost', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const client = await tree.connect();
  for (let at = 0; at < 4; at++) await client.callTool({ name: 'one_echo', arguments: { at } });
  const pids = (await tree.status()).workers.map(({ pid }) => pid);
  for (const worker of [1, 2]) {
    await tree.kill(worker);
    await eventually(async () => {
      const { workers, replacedWorkers } = await tree.status();
      return replacedWorkers === worker && workers.length === 2;
    });
    for (let at = 0; at < 4; at++) {
      const result = await client.callTool({ name: 'one_echo', arguments: { at } });
      expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ at }) }]);
    }
  }
  const after = (await tree.status()).workers.map(({ pid }) => pid);
  expect(after.filter(pid => pids.includes(pid))).toEqual([]);
  await client.close();
});

test('all workers killed at once come back at the same address with the same sessions', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const session = await openSession(tree.url);
  const { workers } = await tree.status();
  for (const { pid } of workers) process.kill(pid, 'SIGKILL');
  const answered = await eventually(async () => {
    const answer = await post(tree.url, call(1, 'one_echo', { at: 1 }), session).catch(() => undefined);
    return answer?.status === 200 ? answer.text() : undefined;
  });
  expect(answered).toContain('{\\"at\\":1}');
});

test('a killed worker loses its running calls alone: those who come back for an answer learn that the call may have had an effect', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const sessions = await Promise.all(Array.from({ length: 8 }, () => openSession(tree.url)));
  const params = { name: 'one_progress', arguments: {}, _meta: { progressToken: 'p' } };
  // Its first event names the worker that has it.
  const began = await post(tree.url, { id: 7, method: 'tools/call', params }, sessions[0]);
  const whole = await began.text();
  const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string);
  expect(ids.length).toBeGreaterThan(3);
  await tree.kill(1);
  await tree.kill(2);
  await eventually(async () => (await tree.status()).replacedWorkers === 2);
  await eventually(async () => (await tree.status()).workers.length === 2);
  const resume = (id: string) =>
    oneConnection(tree.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': sessions[0] as string, 'last-event-id': id },
    });
  const behind = whole.slice(whole.indexOf(`event: message\nid: ${ids[2]}`));
  expect(await (await resume(ids[1] as string)).text(), 'what was kept is replayed').toBe(behind);
  const unfinished = (ids[0] as string).replace(/^(\d+)\.7-/, (_, stream) => `${Number(stream) + 1}.8-`);
  const gone = await (await resume(unfinished)).text();
  expect(gone).toContain('"id":8');
  expect(gone).toContain('may have had an effect');
  for (const session of sessions) {
    const answer = await post(tree.url, call(2, 'one_echo', { at: 2 }), session);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('result');
  }
});

describe('two workers that live on', () => {
  let backend: SdkServer;
  let held: HeldBackend;
  let stateless: StatelessServer;
  let tree: Tree;
  beforeAll(async () => {
    [backend, held, stateless] = await Promise.all([
      startSdkServer({ transport: 'streamable-http' }),
      startHeldBackend(),
      startStatelessServer(),
    ]);
    // Both have the same resource, and that of the first name is served.
    const urls = { one: backend.url, held: held.url, stateless: stateless.url };
    tree = await startTree({ backends: Object.entries(urls).map(([name, url]) => backendPlan(name, url)) });
  });
  afterAll(async () => {
    await tree[Symbol.asyncDispose]();
    await held[Symbol.asyncDispose]();
    for (const peer of [backend, stateless]) await peer.close();
  });

  test('a question of a backend gets the answer that comes to another worker', async () => {
    const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
    const asked: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { name: params.message } };
    });
    await tree.connect(client);
    for (let at = 0; at < 6; at++) {
      const result = await client.callTool({ name: 'one_elicit', arguments: { message: `m${at}` } });
      expect(JSON.stringify(result.content)).toContain(`m${at}`);
    }
    expect(asked, 'each once').toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
    await client.close();
  });

  test('a call is cancelled wherever it runs', async () => {
    const client = await tree.connect();
    const { running, cancelled } = held;
    for (let at = 0; at < 3; at++) {
      const stop = new AbortController();
      const answer = client.callTool({ name: 'held_wait', arguments: {} }, undefined, { signal: stop.signal });
      await eventually(() => held.running === running + at + 1);
      stop.abort('enough');
      await expect(answer).rejects.toThrow('enough');
      await eventually(() => held.cancelled === cancelled + at + 1);
    }
    await client.close();
  });

  test('updates of a resource come to the client, whichever worker it subscribed and listens at', async () => {
    const client = await tree.connect();
    const { resources } = await client.listResources();
    const [{ uri }] = resources as unknown as [{ uri: string }];
    const updated: string[] = [];
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
    await client.subscribeResource({ uri });
    await eventually(async () => {
      await backend.update(uri);
      return updated.length > 0;
    });
    expect(backend.subscriptions).toEqual([uri]);
    await client.unsubscribeResource({ uri });
    await eventually(() => backend.subscriptions.length === 0);
    await client.close();
  });

  test('stateless clients are served by all workers', async () => {
    const own = statelessHead('stateless_echo').trimEnd().split('\r\n');
    const headers = { ...ACCEPT, ...Object.fromEntries(own.map(line => line.split(': ') as [string, string])) };
    for (let at = 0; at < 6; at++) {
      const answer = await oneConnection(tree.url, { method: 'POST', headers, body: statelessCall('stateless_echo') });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('"result"');
    }
  });
});

test('a session that was ended is unknown to all workers', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const session = await openSession(tree.url);
  for (let id = 0; id < 4; id++) expect((await post(tree.url, { id, method: 'ping' }, session)).status).toBe(200);
  const ended = await oneConnection(tree.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
  expect(ended.status).toBe(204);
  for (const id of [1, 2]) {
    await eventually(async () => (await post(tree.url, { id, method: 'ping' }, session)).status === 404);
  }
  expect((await tree.status()).sessions).toBe(0);
});

test('a limit without Redis is one for all workers', async () => {
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
  await tree.replace({ backends, rateLimiting: { ...rateLimiting, shared: { ...limit, maxTokens: 1_000 } } });
  await eventually(async () => (await tree.status()).rateLimiting?.limits[0]?.maxTokens === 1_000);
  // The bucket goes on: what it lacked of 10 is what it has more of 1000.
  expect(await (await post(tree.url, call(99, 'one_echo'), sessions[0])).text()).toContain('isError');
});

test('metrics are of all processes together', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const client = await tree.connect();
  for (let at = 0; at < 7; at++) await client.callTool({ name: 'one_echo', arguments: { at } });
  const text = await (await fetch(`${tree.internalUrl}/metrics`)).text();
  const value = (name: RegExp) =>
    [...text.matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)].filter(([line]) => name.test(line)).map(([, , , at]) => Number(at));
  expect(value(/^mcp_server_operation_duration_seconds_count\{.*tools\/call/)).toEqual([7]);
  expect(value(/^process_cpu_seconds_total\{worker="(?:1|2|primary)"\}/)).toHaveLength(3);
  expect(value(/gateway_ready/)).toEqual([1]);
  await client.close();
});

test('requests of all workers are recorded in one chain, which goes on in a new file when the log is moved away', async () => {
  await using backend = await startBackend();
  await using folder = await temporaryFolder();
  const [file, moved] = [folder.file('audit.jsonl'), folder.file('audit.1.jsonl')];
  const options = { backends: [backendPlan('one', backend.peer.url)], audit: { ...AUDIT, file } };
  const tree = await startTree(options, 2, { LINTEL_AUDIT_CHAIN: 'true' });
  const sessions = await Promise.all(Array.from({ length: 4 }, () => openSession(tree.url)));
  const callAll = (from: number) =>
    Promise.all(
      Array.from({ length: 40 }, async (_, at) =>
        (await post(tree.url, call(from + at, 'one_echo'), sessions[at % 4])).text(),
      ),
    );
  await callAll(0);
  await eventually(async () => ((await tree.status()).audit?.written ?? 0) >= 44);
  await rename(file, moved);
  tree.program.kill('SIGHUP');
  await eventually(() => existsSync(file));
  await callAll(100);
  expect((await tree.status()).audit?.dropped).toBe(0);
  tree.program.kill('SIGTERM');
  expect(await tree.program.exitCode()).toBe(0);
  await tree[Symbol.asyncDispose]();
  const lines = [...(await readFile(moved, 'utf8')).split('\n'), ...(await readFile(file, 'utf8')).split('\n')];
  expect(lines.filter(line => line.includes('"mcp_tool_call"'))).toHaveLength(80);
  let head = CHAIN_START;
  for (const line of lines.filter(text => text !== '')) {
    const place = parseChainPosition(line);
    expect(place, line).toMatchObject({ sequence: head.sequence + 1, previous: head.hash });
    head = place as typeof head;
  }
});

test('a new bundle is served by all workers in one step, under load', async () => {
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

test('a bundle that one worker cannot serve is refused by all, and those that come later serve the running one', async () => {
  await using backend = await startBackend();
  const good = { backends: [backendPlan('one', backend.peer.url)] };
  await using tree = await startTree(good);
  const { bundle } = await tree.status();
  // Compiles as a bundle; what is wrong with its policy, the engine in the worker finds out.
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

test('draining lets running calls end, and all processes with them', async () => {
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

test('workers end with a primary that is killed', async () => {
  await using backend = await startBackend();
  await using tree = await startTree({ backends: [backendPlan('one', backend.peer.url)] });
  const { workers } = await tree.status();
  tree.program.kill('SIGKILL');
  await eventually(() => workers.every(({ pid }) => !isRunning(pid)));
});
