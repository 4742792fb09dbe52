/**
 * Measures calls whose requests are spread over three replicas. They are compared with the same calls at one replica without shared sessions, and
 * at three replicas without them. The latter shows what five busy processes cost each other on few cores, which is not a cost of sharing.
 */
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { type CostOptions, sessionHeads } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { Load } from './load.ts';
import { startBackend, startGateway } from './processes.ts';
import { waitForStore } from './shared-sessions.ts';
import { CONNECTIONS } from './throughput.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** Calls of each process before the measurement, so that V8 has optimized the code of all, even of those with a small share of the load. */
const WARM_CALLS = 20_000;

/**
 * The CPU time of all processes of a gateway for each call, with a number of connections to each process; microseconds, from adjacent slices.
 */
export interface ReplicaCost {
  readonly connections: number;
  readonly slices: { readonly oneUs: number; readonly threeUs: number; readonly apartUs: number }[];
}

/** Measures the calls. Needs `redis-server`. */
export async function measureReplicas({ rounds, sliceMs, folder }: CostOptions): Promise<readonly ReplicaCost[]> {
  await using backend = await startBackend();
  await using redis = await RedisServer.start();
  await using started = new AsyncDisposableStack();
  const gateway = async (keyPrefix: string) => {
    const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix };
    const server = started.use(await startGateway(folder, backend, NAMES, { policy: { sessionStorage } }));
    await waitForStore(server);
    return server;
  };
  const one = await gateway('one:');
  const three = [await gateway('three:'), await gateway('three:'), await gateway('three:')];
  const apart = [await gateway('first:'), await gateway('second:'), await gateway('third:')];
  const body = sessionCall('json_tool_0');
  const targets = await Promise.all(
    [[one], three, apart].map(async servers => {
      const urls = servers.map(({ url }) => url);
      const [url = ''] = urls;
      const heads = await Promise.all(urls.map(one => sessionHeads(one)));
      // A connection that keeps its URL has a session at that replica.
      const inTurn = (heads[0] ?? []).flatMap((_, at) => heads.map(own => own[at] ?? ''));
      const job = { url, urls, body, heads: inTurn, ...(servers === apart ? { keepsUrl: true as const } : {}) };
      return { job, pids: servers.map(({ pid }) => pid) };
    }),
  );
  using load = new Load();
  const costs = CONNECTIONS.map((connections): ReplicaCost => ({ connections, slices: [] }));
  for (const { job, pids } of targets) {
    for (const url of job.urls) {
      const at = job.urls.indexOf(url);
      const heads = 'keepsUrl' in job ? job.heads.filter((_, index) => index % job.urls.length === at) : job.heads;
      for (let calls = 0; calls < WARM_CALLS; ) {
        calls += (await load.run({ ...job, url, urls: [url], heads, connections: 16, ms: sliceMs }, ...pids)).requests;
      }
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const { connections, slices } of costs) {
      const times: number[] = [];
      for (const { job, pids } of targets) {
        // The same number for each process, so that their load is equal.
        const all = connections * pids.length;
        times.push((await load.run({ ...job, connections: all, ms: sliceMs }, ...pids)).cpuUs);
      }
      const [oneUs = 0, threeUs = 0, apartUs = 0] = times;
      slices.push({ oneUs, threeUs, apartUs });
    }
  }
  return costs;
}
