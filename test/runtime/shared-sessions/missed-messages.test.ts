/** A replica that falls so far behind that messages are trimmed before it has read them notices the loss. */
import { expect, onTestFinished } from 'vitest';
import { RedisKeys } from '../../../runtime/redis/keys.ts';
import { Redis } from '../../../runtime/redis/redis.ts';
import { RedisScript } from '../../../runtime/redis/script.ts';
import { BLOCK_MS, ReplicaBus } from '../../../runtime/shared-sessions/replica-bus.ts';
import type { ReplicaMessage } from '../../../runtime/shared-sessions/store.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually } from '../../support/process.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';

/** Sends many messages in one step, so that no replica reads in between. ARGV: the number of messages, and one of them. */
const SEND_MANY = new RedisScript(`
for _ = 1, tonumber(ARGV[1]) do redis.call('XADD', KEYS[1], 'MAXLEN', '~', 10000, '*', 'm', ARGV[2]) end
return 1`);

for (const [title, before] of [
  ['a replica notices that messages were trimmed before it read them, when none was sent before it joined', 0],
  ['a replica notices that messages were trimmed before it read them, when one was sent before it joined', 1],
] as const) {
  withPeers('redis-server').test(title, async () => {
    const server = await RedisServer.start();
    const { log } = listeningLog();
    const plan = redisPlan({ addresses: [server.address] });
    const redis = new Redis(plan, { log, use: 'sessions' });
    const waiting = new Redis(plan, { log, use: 'messages', blockMs: BLOCK_MS });
    const keys = new RedisKeys('', { namespace: 'a', name: 'b' });
    const message: ReplicaMessage = { type: 'changed', session: 's', fields: {}, from: 1 };
    const send = (count: number) =>
      redis.run(SEND_MANY, [keys.formatKey('replicas', '')], [count, JSON.stringify(message)]);
    await redis.ready(60_000);
    if (before > 0) await send(before);
    const bus = new ReplicaBus({ redis, waiting, keys, log });
    onTestFinished(async () => {
      for (const one of [bus, redis, waiting]) one.close();
      await server[Symbol.asyncDispose]();
    });
    let gaps = 0;
    let received = 0;
    bus.onGap = () => gaps++;
    bus.onMessage = () => received++;
    await eventually(() => bus.isFresh);
    gaps = 0;

    await send(3_000);
    await eventually(() => received === 3_000);
    if (before > 0) expect(gaps).toBe(0);

    received = 0;
    gaps = 0;
    await send(30_000);
    await eventually(() => received >= 10_000);
    expect(received).toBeLessThan(30_000);
    await eventually(() => gaps > 0);
  });
}
