/** Measures what rate limits cost a call, compared with the same gateway without them. */
import type { RateLimitPlan } from '#schemas';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { type CallCost, type CostOptions, measureCost, sessionHeads, type Target } from './call-cost.ts';
import { sessionCall } from './calls.ts';
import { type Server, startBackend, startGateway } from './processes.ts';

const NAMES = new Map([['json', 'json/mcp']]);
const TOOL = 'json_tool_0';

/** A limit that is so high that no call is refused. */
const PLENTY = { maxTokens: 1_000_000_000, refillPeriodMs: 1_000 };

/** Two buckets for each call: the gateway's and the tool's. */
export const LIMITS: Omit<RateLimitPlan, 'store'> = {
  shared: PLENTY,
  perUser: null,
  tools: [{ name: TOOL, shared: PLENTY, perUser: null }],
};

export interface LimitCosts {
  readonly costs: readonly CallCost[];
  /** Commands that Redis ran for each call; undefined without `redis-server`. */
  readonly commandsPerCall: number | undefined;
}

/** @param hasRedis whether `redis-server` is installed */
export async function measureLimitCosts(options: CostOptions, hasRedis: boolean): Promise<LimitCosts> {
  const { folder } = options;
  await using backend = await startBackend();
  const targetOf = async (name: string, gateway: Server): Promise<Target> => ({
    name,
    gateway,
    job: { url: gateway.url, heads: await sessionHeads(gateway.url), body: sessionCall(TOOL) },
  });
  await using without = await startGateway(folder, backend, NAMES);
  await using inMemory = await startGateway(folder, backend, NAMES, {
    policy: { rateLimiting: { store: null, ...LIMITS } },
  });
  const baseline = await targetOf('without', without);
  const memory = await targetOf('rate limits in memory', inMemory);
  if (!hasRedis) return { costs: await measureCost(baseline, [memory], options), commandsPerCall: undefined };

  await using redis = await RedisServer.start();
  const store = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
  await using inRedis = await startGateway(folder, backend, NAMES, { policy: { rateLimiting: { store, ...LIMITS } } });
  const shared = await targetOf('rate limits in Redis', inRedis);
  const costs = await measureCost(baseline, [memory, shared], options);
  return { costs, commandsPerCall: await commandsOfACall(redis, inRedis) };
}

/** The number of commands that Redis ran for each call. Expects one script for each call that the gateway accepted, and no other command. */
async function commandsOfACall(redis: RedisServer, gateway: Server): Promise<number> {
  const text = (await redis.tell('INFO', 'commandstats')) as string;
  const commands = [...text.matchAll(/^cmdstat_(evalsha|eval):calls=(\d+)/gm)].reduce(
    (sum, [, , calls]) => sum + Number(calls),
    0,
  );
  const status = (await (await fetch(`${gateway.internalUrl}/status`)).json()) as { rateLimiting: { allowed: number } };
  return commands / status.rateLimiting.allowed;
}
