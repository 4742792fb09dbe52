/** The stores of the authorization server, for suites that each must pass. */
import { MemoryStore } from '../../../runtime/authserver/storage/memory-store.ts';
import { RedisStore } from '../../../runtime/authserver/storage/redis-store.ts';
import type { Store } from '../../../runtime/authserver/storage/store.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import type { RedisPlan } from '../../../schemas/index.ts';
import { listeningLog } from '../../support/log-lines.ts';

/** Time limit for hanging tests. */
const LONG_MS = 60_000;

/** Replicas of one gateway: each call returns the store of another replica. */
export interface TestReplicas extends AsyncDisposable {
  replica(gateway?: string): Promise<Store>;
}

/** The in-memory store has one replica. */
export function memoryReplicas(): TestReplicas {
  const stores = new Map<string, MemoryStore>();
  return {
    replica: async (gateway = 'one') => {
      const store = stores.get(gateway) ?? new MemoryStore();
      stores.set(gateway, store);
      return store;
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of stores.values()) store.close();
    },
  };
}

/** @param server the server that is stopped together with the replicas */
export function redisReplicas(plan: RedisPlan, server: AsyncDisposable): TestReplicas {
  const opened: Store[] = [];
  return {
    replica: async (gateway = 'one') => {
      const redis = new Redis(plan, { log: listeningLog().log, use: 'a test' });
      const store = new RedisStore({ redis, gateway: { namespace: 'default', name: gateway } });
      opened.push(store);
      await redis.ready(LONG_MS);
      return store;
    },
    [Symbol.asyncDispose]: async () => {
      for (const store of opened) store.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
