/** How soon a replica knows that a session has ended elsewhere, also when the message about it does not arrive. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_STALE_MS } from '../../../runtime/shared-sessions/store.ts';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { Replicas } from './replicas.ts';
import { call, disposable, openSession, post } from './wire.ts';

const PING = { id: 9, method: 'ping' };

const endAt = (url: string, session: string) =>
  fetch(url, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });

/** A proxy in front of Redis, which can withhold the messages that replicas wait for. */
async function startWithholding({ port }: RedisServer) {
  const sockets: Socket[] = [];
  let withholds = false;
  const proxy = createServer(client => {
    const redis = connect(port, '127.0.0.1');
    let isReading = false;
    client.on('data', bytes => {
      isReading ||= /xread/i.test(bytes.toString('latin1'));
      redis.write(bytes);
    });
    redis.on('data', bytes => {
      if (!(isReading && withholds)) client.write(bytes);
    });
    sockets.push(client, redis);
    for (const socket of [client, redis]) {
      socket.on('error', () => {});
      socket.on('close', () => [client, redis].map(one => one.destroy()));
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    withhold: () => {
      withholds = true;
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

withPeers('redis-server').describe('a session that has ended at one replica', () => {
  test.each([
    ['a second after a session has ended at one replica, every other replica refuses the session', false],
    ['a replica that gets no messages of other replicas refuses an ended session after a second', true],
  ])('%s', async (_, isWithheld) => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using redis = await RedisServer.start();
    await using proxy = await startWithholding(redis);
    await using replicas = await Replicas.start(
      { backends: [backendPlan('one', backend.peer.url)] },
      { redis: redisPlan({ addresses: [proxy.address] }) },
    );
    const [one, ...others] = replicas.urls as [string, string, string];
    const session = await openSession(one);
    for (const url of replicas.urls) expect((await post(url, call(1, 'one_echo'), session)).status).toBe(200);
    if (isWithheld) proxy.withhold();
    expect((await endAt(one, session)).status).toBe(204);
    await sleep(MAX_STALE_MS);
    // The first request of each: none is repeated until it is refused.
    const statuses = await Promise.all(others.map(async url => (await post(url, PING, session)).status));
    expect(statuses).toEqual([404, 404]);
  });

  test('a session that a client ends while Redis hangs ends at this replica at once, and at the others when Redis answers', async () => {
    await using redis = await RedisServer.start();
    const timeouts = { dialMs: 300, readMs: 200, writeMs: 100 };
    await using replicas = await Replicas.start(
      { backends: [] },
      { redis: redisPlan({ addresses: [redis.address], timeouts }), count: 2 },
    );
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one);
    expect((await post(other, PING, session)).status).toBe(200);
    redis.hang();
    const ended = await endAt(one, session);
    expect([ended.status, ended.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await post(one, PING, session)).status).toBe(404);
    redis.goOn();
    await eventually(async () => (await post(other, PING, session)).status === 404);
    expect((await post(one, PING, session)).status, 'it does not come back').toBe(404);
  });
});
