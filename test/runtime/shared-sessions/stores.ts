/** The stores of shared sessions, for suites that each must pass. */
import { RedisKeys } from '../../../runtime/redis/keys.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import { MemorySessions } from '../../../runtime/shared-sessions/memory-store.ts';
import { RedisSessions } from '../../../runtime/shared-sessions/redis-store.ts';
import type { ReplicaMessage, SharedSessions } from '../../../runtime/shared-sessions/store.ts';
import { Channel } from '../../../runtime/workers/channel.ts';
import type { PrimaryHandlers, WorkerHandlers } from '../../../runtime/workers/messages.ts';
import { SessionClient } from '../../../runtime/workers/session-client.ts';
import { createSessionHandlers } from '../../../runtime/workers/session-host.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { eventually } from '../../support/process.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';

export interface TestStore extends AsyncDisposable {
  /** Adds a replica, which receives what the others publish. */
  join(): Promise<SharedSessions>;
  /** Makes the store unreachable, or reachable again; it keeps its data. */
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

/** The store that workers use: each queries the primary process, which stores the sessions, over a channel with JSON messages. */
export async function primaryStore(): Promise<TestStore & { hang(isHanging: boolean): void }> {
  const all = new MemorySessions();
  const clients: SessionClient[] = [];
  let isHanging = false;
  let late: (() => void)[] = [];
  const carry = (receive: (batch: unknown) => void) => (batch: unknown) => {
    const text = JSON.stringify(batch);
    const deliver = () => receive(JSON.parse(text));
    if (isHanging) late.push(deliver);
    else setImmediate(deliver);
  };
  return {
    join: async () => {
      const kept = all.join();
      let client: SessionClient;
      const primary: Channel<WorkerHandlers> = new Channel<WorkerHandlers>(
        {
          session: createSessionHandlers(kept, message => void primary.ask('message', message)),
          tick: () => {
            all.find('');
            return null;
          },
        },
        carry(batch => worker.receive(batch)),
      );
      const worker: Channel<PrimaryHandlers> = new Channel<PrimaryHandlers>(
        {
          message: (message: ReplicaMessage) => {
            client.receive(message);
            return null;
          },
        },
        carry(batch => primary.receive(batch)),
      );
      client = new SessionClient(kept.replica, worker);
      clients.push(client);
      await eventually(() => client.isFresh);
      return Object.assign(client, {
        // The worker's process ends with it.
        close: () => {
          kept.close();
          SessionClient.prototype.close.call(client);
        },
      });
    },
    away: isAway => {
      all.isAway = isAway;
    },
    hang: next => {
      isHanging = next;
      for (const deliver of late) setImmediate(deliver);
      late = [];
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.close();
    },
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
