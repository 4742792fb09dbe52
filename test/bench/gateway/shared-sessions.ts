/** Measures what a shared session costs a call at the replica that holds it, compared with the same gateway with sessions in memory. */
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { type Server, startBackend, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);

/** Measures the calls. Needs `redis-server`. */
export async function measureSharedSessions(options: CostOptions): Promise<readonly CallCost[]> {
  const { folder } = options;
  await using backend = await startBackend();
  await using redis = await RedisServer.start();
  const targetOf = async (name: string, gateway: Server): Promise<Target> => ({
    name,
    gateway,
    job: { url: gateway.url, heads: await sessionHeads(gateway.url), body: sessionCall('json_tool_0') },
  });
  await using alone = await startGateway(folder, backend, NAMES);
  const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
  await using sharing = await startGateway(folder, backend, NAMES, { policy: { sessionStorage } });
  await waitForStore(sharing);
  const [baseline, shared] = [await targetOf('in memory', alone), await targetOf('shared sessions', sharing)];
  // Awaited here, because the processes end with this function.
  const costs = await measureCost(baseline, [shared], options);
  return costs;
}

/** Waits until the gateway has reached its session store. */
export async function waitForStore({ internalUrl }: Server): Promise<void> {
  for (;;) {
    const page = (await (await fetch(`${internalUrl}/status`)).json()) as { sessionStorage: { ready: boolean } };
    if (page.sessionStorage.ready) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}
