/** Answers of people while the store of sessions fails over. */
import { expect } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisSentinelSet, redisPlan } from '../../support/redis-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { Replicas } from './replicas.ts';
import { call, disposable, openSession, post, reading } from './wire.ts';

withPeers('redis-server', 'redis-sentinel').test(
  'an answer that a person gives at another replica while the primary is away reaches the backend that asked',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using set = await RedisSentinelSet.start();
    const redis = redisPlan({
      mode: 'sentinel',
      masterName: 'main',
      addresses: set.sentinels.map(({ address }) => address),
    });
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { redis });
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one, { elicitation: {} });
    for (const url of [one, other]) expect((await post(url, call(1, 'one_echo'), session)).status).toBe(200);
    const asked = await post(one, call(2, 'one_elicit'), session);
    const read = reading(asked);
    const question = () => /"id":"(lintel-q[\d.]+)"/.exec(read.text)?.[1];
    await eventually(() => question() !== undefined);
    await (await set.primary()).kill();
    const answer = { id: question(), result: { action: 'accept', content: { name: 'Ada' } } };
    expect((await post(other, answer, session)).status).toBe(202);
    await eventually(() => read.text.includes('Ada'));
  },
);
