/** Many sessions that call through one gateway while a backend restarts and bundles are swapped. */
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type BundleOptions, backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';

export interface SoakOptions {
  readonly sessions: number;
  /** Calls of each session, spread over all backends. */
  readonly calls: number;
}

export interface SoakReport {
  readonly calls: number;
  readonly perSecond: number;
  /** Answers that carry another asker's nonce or id. */
  readonly crossTalk: readonly string[];
  /** Calls to backends that never went away and have no answer. */
  readonly lost: readonly string[];
  /** Calls to the backends that restart, by what became of them. */
  readonly restarting: { readonly answered: number; readonly failed: number };
  readonly swaps: number;
  readonly restarts: number;
  /** What is left when every session has ended: sessions here, sessions at each healthy backend. */
  readonly sessionsLeft: number;
  readonly backendSessionsLeft: readonly number[];
  /** Beyond what there was before the gateway started; taken after it stopped. */
  readonly handlesLeft: number;
  readonly heapGrowthBytes: number;
}

const HEALTH = { intervalMs: 500, timeoutMs: 2_000, unhealthyThreshold: 2 };
/** Between two restarts and between two swaps; milliseconds. */
const RESTART_MS = 400;
const SWAP_MS = 250;

export async function soak(options: SoakOptions): Promise<SoakReport> {
  const before = await atRest();
  const steady = await startSdkServer({ transport: 'streamable-http' });
  const json = await startSdkServer({ transport: 'streamable-http', json: true });
  const old = await startSdkServer({ transport: 'sse' });
  const restarting = [new Restarting('streamable-http'), new Restarting('sse')];
  for (const server of restarting) await server.start();
  const bundle = (round: number): BundleOptions => ({
    backends: [
      backendPlan('json', json.url, {
        tools: { prefix: 'json_', advertise: { type: 'all' }, overrides: { echo: { description: `round ${round}` } } },
      }),
      // A backend that is reached in another way from one bundle to the next.
      backendPlan('old', old.url, { transport: 'sse', timeoutMs: 5_000 + (round % 2) }),
      backendPlan('steady', steady.url, { timeoutMs: 5_000 + (round % 2) }),
      ...restarting.map((server, index) => backendPlan(`away${index}`, server.url, { transport: server.transport })),
      ...(round % 3 === 0 ? [backendPlan('gone', 'http://127.0.0.1:9/mcp')] : []),
    ],
    operational: { health: { ...HEALTH, intervalMs: HEALTH.intervalMs + (round % 2) } },
  });
  const gateway = await startGateway(bundle(0));
  const tally = new Tally();
  const stop = new AbortController();
  const chaos = Promise.all([restart(restarting, stop.signal), swap(gateway, bundle, stop.signal)]);
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: options.sessions }, (_, n) => converse(gateway, n, options.calls, tally)));
  const seconds = (performance.now() - startedAt) / 1000;
  stop.abort();
  const [restarts, swaps] = await chaos;
  const healthy = [steady, json, old];
  // Each keeps the session of the monitor; a replaced connection takes a moment to end its own.
  await eventually(() => healthy.every(server => server.openSessions <= 1)).catch(() => {});
  const sessionsLeft = (await gateway.status()).sessions;
  const backendSessionsLeft = healthy.map(server => server.openSessions - 1);
  await gateway.stop();
  await Promise.all([...healthy, ...restarting].map(server => server.close()));
  const after = await atRest();
  return {
    ...tally,
    calls: options.sessions * options.calls,
    perSecond: Math.round((options.sessions * options.calls) / seconds),
    restarts,
    swaps,
    sessionsLeft,
    backendSessionsLeft,
    handlesLeft: after.handles - before.handles,
    heapGrowthBytes: after.heapBytes - before.heapBytes,
  };
}

class Tally {
  readonly crossTalk: string[] = [];
  readonly lost: string[] = [];
  readonly restarting = { answered: 0, failed: 0 };
}

/** One session from `initialize` to DELETE. */
async function converse(gateway: TestGateway, session: number, calls: number, tally: Tally): Promise<void> {
  const client = new RawClient(gateway.url);
  await client.open();
  for (let n = 0; n < calls; n++) {
    const backend = ['steady', 'json', 'old', 'away0', 'away1'][(session + n) % 5] as string;
    const nonce = `${session}-${n}-${Math.random()}`;
    const { text } = await client.request('tools/call', { name: `${backend}_echo`, arguments: { nonce } });
    const answer = JSON.parse(text) as { id: number; error?: unknown; result?: { content: { text: string }[] } };
    const echoed = answer.result?.content[0]?.text;
    // `initialize` was the first request of the session.
    if (answer.id !== n + 2 || (echoed !== undefined && echoed !== JSON.stringify({ nonce }))) {
      tally.crossTalk.push(`${nonce} got ${text}`);
    } else if (backend.startsWith('away')) tally.restarting[echoed === undefined ? 'failed' : 'answered']++;
    else if (echoed === undefined) tally.lost.push(`${backend} ${text}`);
  }
  await client.end();
}

/** A server that comes back at the same port and remembers nothing. */
class Restarting {
  readonly transport: 'streamable-http' | 'sse';
  #server: SdkServer | undefined;
  url = '';

  constructor(transport: 'streamable-http' | 'sse') {
    this.transport = transport;
  }

  async start(): Promise<void> {
    const { transport } = this;
    this.#server = await startSdkServer({ transport, ...(this.#server && { port: this.#server.port }) });
    this.url = this.#server.url;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}

async function restart(servers: readonly Restarting[], signal: AbortSignal): Promise<number> {
  let restarts = 0;
  while (!signal.aborted) {
    const server = servers[restarts++ % servers.length] as Restarting;
    await server.close();
    await sleep(50);
    await server.start();
    await sleep(RESTART_MS);
  }
  return restarts;
}

async function swap(
  gateway: TestGateway,
  bundle: (round: number) => BundleOptions,
  signal: AbortSignal,
): Promise<number> {
  const digests = new Set<string>();
  for (let round = 1; !signal.aborted; round++) {
    await gateway.replace(bundle(round));
    await sleep(SWAP_MS);
    digests.add((await gateway.status()).bundle.digest);
  }
  return digests.size;
}

/** Collects garbage and counts what is left: sockets, servers and timers, and the heap. */
async function atRest(): Promise<{ handles: number; heapBytes: number }> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  // Idle connections of the test's own client close in the meantime.
  await sleep(500);
  collect();
  await sleep(50);
  collect();
  const handles = process.getActiveResourcesInfo().filter(kind => kind.startsWith('TCP')).length;
  return { handles, heapBytes: process.memoryUsage().heapUsed };
}
