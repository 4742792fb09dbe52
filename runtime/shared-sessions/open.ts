import type { GatewayBundle, SessionStoragePlan } from '#schemas';
import type { Logger } from '../observe/log.ts';
import { RedisKeys } from '../redis/keys.ts';
import { Redis, type RedisHealth } from '../redis/redis.ts';
import { RedisSessions } from './redis-store.ts';
import { BLOCK_MS } from './replica-bus.ts';
import type { SharedSessions } from './store.ts';

/** The prefix of keys when the spec names none. */
const DEFAULT_PREFIX = 'lintel:';

export interface SessionStoreHandle {
  readonly sessions: SharedSessions;
  readonly health: RedisHealth;
  close(): void;
}

/**
 * Opens the store that a plan names. It connects in the background.
 *
 * @throws SecretError for a secret that is missing
 */
export function openSessionStore(
  { redis: plan, keyPrefix }: SessionStoragePlan,
  gateway: Pick<GatewayBundle, 'namespace' | 'name'>,
  log: Logger,
): SessionStoreHandle {
  const redis = new Redis(plan, { log, use: 'sessions' });
  const waiting = new Redis(plan, { log, use: 'messages of replicas', blockMs: BLOCK_MS });
  const keys = new RedisKeys(keyPrefix === '' ? DEFAULT_PREFIX : keyPrefix, gateway);
  const sessions = new RedisSessions({ redis, waiting, keys, log });
  return {
    sessions,
    get health() {
      return redis.health;
    },
    close: () => {
      sessions.close();
      redis.close();
      waiting.close();
    },
  };
}
