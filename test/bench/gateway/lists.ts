/** Measures `tools/list` of 1,000 tools from 50 backends: from the gateway's cache, and for the first time. */
import { RawClient } from '../../support/raw-client.ts';
import { listTools, sessionCall, sessionHead } from './calls.ts';
import { Load } from './load.ts';
import { manyBackends, memoryMb, startBackend, startBareList, startGateway } from './processes.ts';
import { openSession } from './throughput.ts';

const BACKENDS = 50;

export interface Lists {
  readonly perSecond: number;
  readonly p50: number;
  readonly restMb: number;
}

/** Measures lists from the cache over 16 connections. */
export async function measureLists(folder: string, ms: number): Promise<Lists> {
  await using backend = await startBackend();
  await using gateway = await startGateway(folder, backend, manyBackends(BACKENDS));
  await firstList(gateway.url);
  await new Promise(done => setTimeout(done, 1_000));
  const restMb = (await memoryMb(gateway.pid)).now;
  const head = sessionHead(await openSession(gateway.url));
  // Request ids are unique in a session, so each connection needs one of its own.
  const heads = [
    head,
    ...(await Promise.all(Array.from({ length: 15 }, () => openSession(gateway.url)))).map(sessionHead),
  ];
  using load = new Load();
  const { perSecond, p50 } = await load.run(
    { url: gateway.url, heads, body: listTools(), connections: 16, ms },
    gateway.pid,
  );
  return { perSecond, p50, restMb };
}

/** The milliseconds from the gateway's start to its first list, when every backend delays each response by `delayMs`. */
export async function measureFirstList(folder: string, delayMs: number): Promise<number> {
  await using backend = await startBackend('--delay', String(delayMs));
  const begin = performance.now();
  await using gateway = await startGateway(folder, backend, manyBackends(BACKENDS));
  await firstList(gateway.url);
  return performance.now() - begin;
}

/** The milliseconds from the start of a minimal process to the same list. */
export async function measureBareFirstList(): Promise<number> {
  await using backend = await startBackend();
  const begin = performance.now();
  await using bare = await startBareList(backend, BACKENDS);
  const { tools } = (await (await fetch(bare.url)).json()) as { tools: unknown[] };
  const tookMs = performance.now() - begin;
  if (tools.length !== BACKENDS * 20) throw new Error(`expected ${BACKENDS * 20} tools, got ${tools.length}`);
  return tookMs;
}

export interface Start {
  readonly listeningMs: number;
  readonly firstCallMs: number;
}

/** Measures the time from the gateway's start to its listening port, and to the first response to a call, with 50 backends. */
export async function measureStart(folder: string): Promise<Start> {
  await using backend = await startBackend();
  const begin = performance.now();
  await using gateway = await startGateway(folder, backend, manyBackends(BACKENDS));
  const client = new RawClient(gateway.url);
  await client.open();
  const { params } = JSON.parse(sessionCall('b7_tool_0')) as { params: unknown };
  await client.result('tools/call', params);
  return { listeningMs: gateway.listeningMs, firstCallMs: performance.now() - begin };
}

/** Opens a session, gets the list, and checks the number of its tools. */
export async function firstList(url: string, count: number = BACKENDS * 20, token?: string): Promise<void> {
  const client = new RawClient(url, token);
  await client.open();
  const { tools } = await client.result<{ tools: unknown[] }>('tools/list');
  if (tools.length !== count) throw new Error(`expected ${count} tools, got ${tools.length}`);
}
