/** Both stores of shared sessions, for suites that each has to pass. */
import { RedisKeys } from '../../../runtime/redis/keys.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import { MemorySessions } from '../../../runtime/shared-sessions/memory-store.ts';
import { RedisSessions } from '../../../runtime/shared-sessions/redis-store.ts';
import type { SharedSessions } from '../../../runtime/shared-sessions/store.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { eventually } from '../../support/process.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';

export interface TestStore extends AsyncDisposable {
  /** One more replica, which hears what the others say. */
  join(): Promise<SharedSessions>;
  /** Nobody reaches the store until it is told otherwise; what it holds stays. */
  away(isAway: boolean): void;
}

export async function memoryStore(): Promise<TestStore> {
  const all = new MemorySessions();
  return {
    join: async () => all.join(),
    away: isAway => {
      all.isAway = isAway;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

export async function redisStore(): Promise<TestStore> {
  const server = await RedisServer.start();
  const opened: { close(): void }[] = [];
  const timeouts = { dialMs: 1_000, readMs: 200, writeMs: 200 };
  return {
    join: async () => {
      const { log } = listeningLog();
      const plan = redisPlan({ addresses: [server.address], timeouts });
      const redis = new Redis(plan, { log, use: 'sessions' });
      const waiting = new Redis(plan, { log, use: 'messages', blockMs: 300 });
      const sessions = new RedisSessions({
        redis,
        waiting,
        keys: new RedisKeys('', { namespace: 'a', name: 'b' }),
        log,
      });
      opened.push(sessions, redis, waiting);
      await redis.ready(60_000);
      await eventually(() => sessions.isFresh);
      return sessions;
    },
    away: isAway => (isAway ? server.hang() : server.goOn()),
    [Symbol.asyncDispose]: async () => {
      for (const one of opened) one.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
