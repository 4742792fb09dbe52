/** A replica that ends: it is not ready first, its streams end so that clients open them at another replica, and running calls finish. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startHeldBackend } from '../workers/held-backend.ts';
import { type Replica, Replicas } from './replicas.ts';
import { call, disposable, listen, openSession, post, reading, readResult } from './wire.ts';

withPeers('redis-server').describe('a replica that gets SIGTERM', () => {
  test('a replica that gets SIGTERM is no longer ready and ends its streams, while its calls finish and clients continue elsewhere', async () => {
    await using held = await startHeldBackend();
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    const backends = [backendPlan('held', held.url), backendPlan('one', backend.peer.url)];
    await using replicas = await Replicas.start({ backends }, { count: 2 });
    const [ending] = replicas.replicas as [Replica];
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one);
    const uri = 'memo://one';
    await (await post(one, { id: 1, method: 'resources/subscribe', params: { uri } }, session)).text();
    const running = post(one, call(2, 'held_wait'), session);
    await eventually(() => held.running === 1);
    const stream = (await listen(one, session)).text();

    ending.program.kill('SIGTERM');
    await eventually(async () => (await fetch(`${ending.internalUrl}/readyz`)).status === 503);
    // In order, and not by a broken connection, so that a client opens its stream again at once.
    await stream;
    expect(held.running, 'the call still runs').toBe(1);
    held.release();
    expect(JSON.stringify(await readResult(await running))).toContain('waited');
    expect(await ending.program.ending).toBe('exit code 0');
    const next = reading(await listen(other, session));
    await eventually(async () => {
      await backend.peer.update(uri);
      return next.text.includes('notifications/resources/updated');
    });
    expect(await readResult(await post(other, call(3, 'one_echo'), session))).toHaveProperty('result');
  });
});
