/**
 * Measures calls whose requests are spread over three replicas. They are compared with the same calls at one replica, and at three replicas of
 * which each serves connections of its own. Bare proxies, which share nothing, get the same requests: their figures show what five busy processes
 * cost each other on few cores, and what it costs that each client has connections to all of them.
 */
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { type CostOptions, sessionHeads } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { type CallJob, Load } from './load.ts';
import { type Server, startBackend, startBareProxy, startGateway } from './processes.ts';
import { waitForStore } from './shared-sessions.ts';
import { CONNECTIONS } from './throughput.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** Calls of each process before the measurement, so that V8 has optimized the code of all, even of those with a small share of the load. */
const WARM_CALLS = 20_000;

/** The CPU time of all processes for each call, with a number of connections to each process; microseconds, from adjacent slices. */
export interface ReplicaCost {
  readonly connections: number;
  readonly slices: Readonly<Record<Group, number>>[];
}

/** `apart`: each connection stays at one replica. */
type Group = 'one' | 'three' | 'apart' | 'bareOne' | 'bareThree';

interface Target {
  readonly servers: readonly Server[];
  readonly job: Pick<CallJob, 'url' | 'urls' | 'heads' | 'body' | 'keepsUrl'>;
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
  const bare = async () => started.use(await startBareProxy(backend, '--lean'));
  const one = [await gateway('one:')];
  const three = [await gateway('three:'), await gateway('three:'), await gateway('three:')];
  const apart = [await gateway('first:'), await gateway('second:'), await gateway('third:')];
  const targets: Record<Group, Target> = {
    one: createTarget(one, await sessionHeads(one[0]?.url ?? '')),
    three: createTarget(three, await openInTurn(three)),
    apart: { servers: apart, job: { ...createTarget(apart, await openInTurn(apart)).job, keepsUrl: true } },
    bareOne: createTarget([await bare()], ['']),
    bareThree: createTarget([await bare(), await bare(), await bare()], ['']),
  };
  using load = new Load();
  for (const target of Object.values(targets)) await warm(load, target, sliceMs);
  const costs = CONNECTIONS.map((connections): ReplicaCost => ({ connections, slices: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const { connections, slices } of costs) {
      const slice = { one: 0, three: 0, apart: 0, bareOne: 0, bareThree: 0 };
      for (const group of Object.keys(slice) as Group[]) {
        const { servers, job } = targets[group];
        // The same number for each process, so that their load is equal.
        const all = { ...job, connections: connections * servers.length, ms: sliceMs };
        slice[group] = (await load.run(all, ...servers.map(({ pid }) => pid))).cpuUs;
      }
      slices.push(slice);
    }
  }
  return costs;
}

function createTarget(servers: readonly Server[], heads: readonly string[]): Target {
  const urls = servers.map(({ url }) => url);
  return { servers, job: { url: urls[0] ?? '', urls, heads, body: sessionCall('json_tool_0') } };
}

/** Opens sessions at each server, in turn: a connection that keeps its URL has a session that was opened there. */
async function openInTurn(servers: readonly Server[]): Promise<readonly string[]> {
  const heads = await Promise.all(servers.map(({ url }) => sessionHeads(url)));
  return (heads[0] ?? []).flatMap((_, at) => heads.map(own => own[at] ?? ''));
}

async function warm(load: Load, { servers, job }: Target, sliceMs: number): Promise<void> {
  for (const [at, { url, pid }] of servers.entries()) {
    const heads = job.keepsUrl ? job.heads.filter((_, index) => index % servers.length === at) : job.heads;
    for (let calls = 0; calls < WARM_CALLS; ) {
      calls += (await load.run({ ...job, url, urls: [url], heads, connections: 16, ms: sliceMs }, pid)).requests;
    }
  }
}
