/** Replicas of one gateway that share sessions in a Redis, behind a proxy without session affinity. */
import { expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { Replicas } from './replicas.ts';
import { suiteOfSessions } from './session-suite.ts';
import { startReplicas } from './several.ts';
import { call, disposable, INITIALIZE, openSession, post } from './wire.ts';

withPeers('redis-server').describe('three replicas without affinity', () => {
  suiteOfSessions(startReplicas);

  test('every replica knows at once that a session has ended, at whichever replica it ended', async () => {
    await using replicas = await Replicas.start({ backends: [] });
    const [one, ...others] = replicas.urls as [string, string, string];
    const session = await openSession(one);
    for (const url of [one, ...others]) {
      expect((await post(url, { id: 1, method: 'ping' }, session)).status).toBe(200);
    }
    const ended = await fetch(others[0] as string, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } });
    expect(ended.status).toBe(204);
    expect((await post(others[0] as string, { id: 2, method: 'ping' }, session)).status).toBe(404);
    await eventually(async () => (await post(one, { id: 2, method: 'ping' }, session)).status === 404);
    expect((await post(others[1] as string, { id: 2, method: 'ping' }, session)).status).toBe(404);
  });

  test('when a backend has forgotten a session, three replicas together open it again only once', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const client = await replicas.connect();
    for (let at = 0; at < 6; at++) await client.callTool({ name: 'one_echo', arguments: {} });
    backend.peer.forgetSessions();
    const before = backend.peer.initializations;
    for (let at = 0; at < 9; at++) {
      expect((await client.callTool({ name: 'one_echo', arguments: {} })).isError).not.toBe(true);
    }
    expect(backend.peer.initializations - before).toBe(1);
    await client.close();
  });

  test('replicas continue each session that they opened while Redis is down, and open no new session', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other] = replicas.replicas.map(({ url }) => url) as [string, string];
    const session = await openSession(one);
    expect((await post(one, call(1, 'one_echo'), session)).status).toBe(200);
    await replicas.redis.kill();
    await eventually(async () => (await post(one, INITIALIZE)).status === 503);
    const refused = await post(one, INITIALIZE);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await (await post(one, call(2, 'one_echo', { at: 2 }), session)).text()).toContain('result');
    expect((await post(other, call(3, 'one_echo'), session)).status, 'nothing of it is here').toBe(503);
    expect((await post(other, call(4, 'one_echo'), crypto.randomUUID())).status).toBe(503);
    await replicas.redis.up();
    await eventually(async () => (await post(one, INITIALIZE)).status === 200);
  });
});
