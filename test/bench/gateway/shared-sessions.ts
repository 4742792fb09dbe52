/**
 * Measures what a shared session costs a call at the replica that holds it, compared with the same gateway with sessions in memory; and what a bare
 * proxy pays that only reads messages of other replicas meanwhile.
 */
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { type Server, startBackend, startBareProxy, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

export interface SharedSessionCost {
  readonly gateway: CallCost;
  readonly bare: CallCost;
}

/** Measures the calls, for each number of connections. Needs `redis-server`. */
export async function measureSharedSessions(options: CostOptions): Promise<readonly SharedSessionCost[]> {
  const { folder } = options;
  await using backend = await startBackend();
  await using redis = await RedisServer.start();
  const body = sessionCall('json_tool_0');
  const targetOf = (name: string, gateway: Server, heads: readonly string[] = ['']): Target => ({
    name,
    gateway,
    job: { url: gateway.url, heads, body },
  });
  await using alone = await startGateway(folder, backend, NAMES);
  const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
  await using sharing = await startGateway(folder, backend, NAMES, { policy: { sessionStorage } });
  await waitForStore(sharing);
  await using bare = await startBareProxy(backend, '--lean');
  await using reading = await startBareProxy(backend, '--lean', `--bus=${redis.address}`);
  const baseline = targetOf('in memory', alone, await sessionHeads(alone.url));
  const shared = targetOf('shared sessions', sharing, await sessionHeads(sharing.url));
  const costs = await measureCost(baseline, [shared], options);
  const bareCosts = await measureCost(targetOf('bare', bare), [targetOf('reading', reading)], options);
  return costs.map((gateway, at) => ({ gateway, bare: bareCosts[at] as CallCost }));
}

/** Waits until the gateway has reached its session store. */
export async function waitForStore({ internalUrl }: Server): Promise<void> {
  for (;;) {
    const page = (await (await fetch(`${internalUrl}/status`)).json()) as { sessionStorage: { ready: boolean } };
    if (page.sessionStorage.ready) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
