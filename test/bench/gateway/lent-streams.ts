/** Compares calls to an HTTP+SSE backend at a replica that has the backend's stream with calls at another replica. */
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { type CostOptions, sessionHeads } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { Load, type Slice } from './load.ts';
import { startBackend, startGateway } from './processes.ts';
import { waitForStore } from './shared-sessions.ts';
import { CONNECTIONS } from './throughput.ts';

const NAMES = new Map([['pair', 'pair/sse']]);

/** The number of calls before the measurement, so that V8 has optimized the code of both replicas. */
const WARM_CALLS = 10_000;

/** From adjacent slices; CPU time of both replicas together. */
export interface LentStreamCost {
  readonly connections: number;
  readonly slices: { readonly holding: Slice; readonly joined: Slice }[];
}

/** Measures the calls. Needs `redis-server`. */
export async function measureLentStreams({ rounds, sliceMs, folder }: CostOptions): Promise<readonly LentStreamCost[]> {
  await using backend = await startBackend();
  await using redis = await RedisServer.start();
  await using started = new AsyncDisposableStack();
  const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
  const replica = async () => {
    const server = started.use(await startGateway(folder, backend, NAMES, { policy: { sessionStorage } }));
    await waitForStore(server);
    return server;
  };
  const [holder, other] = [await replica(), await replica()];
  const heads = await sessionHeads(holder.url);
  const body = sessionCall('pair_tool_0');
  using load = new Load();
  const run = ({ url }: { readonly url: string }, connections: number) =>
    load.run({ url, body, heads, connections, ms: sliceMs }, holder.pid, other.pid);
  // The replica with the first call keeps the stream of each session.
  for (const server of [holder, other]) {
    for (let calls = 0; calls < WARM_CALLS; ) calls += (await run(server, Math.max(...CONNECTIONS))).requests;
  }
  const costs = CONNECTIONS.map((connections): LentStreamCost => ({ connections, slices: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { connections, slices } of costs)
      slices.push({ holding: await run(holder, connections), joined: await run(other, connections) });
  }
  return costs;
}
