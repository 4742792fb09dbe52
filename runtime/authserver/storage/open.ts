import type { AuthServerPlan } from '#schemas';
import type { AuthServerHost } from '../host.ts';
import { MemoryStore } from './memory-store.ts';
import { RedisStore } from './redis-store.ts';
import type { Store } from './store.ts';

/** How long the start waits for the first connection to Redis; milliseconds. Then the start continues, and requests fail until Redis connects. */
const START_MS = 5_000;

/**
 * The store of a plan.
 *
 * @throws SecretError by rejecting
 */
export async function openStore(
  storage: AuthServerPlan['storage'],
  host: Pick<AuthServerHost, 'redis' | 'gateway'>,
): Promise<Store> {
  if (storage === null) return new MemoryStore();
  const redis = await host.redis(storage.redis);
  // The connection itself logs why it failed.
  await redis.ready(START_MS).catch(() => {});
  return new RedisStore({ redis, gateway: host.gateway });
}
