/** Workers of one gateway whose sessions are in Redis: any worker and any other replica serves them. */
import { expect } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { call, createWire, disposable } from '../scale-out/wire.ts';
import { oneConnection, startTree } from './worker-tree.ts';

const { openSession, post } = createWire(oneConnection);

withPeers('redis-server').test(
  'workers with sessions in Redis serve the sessions of each other and of another gateway process, and /status counts each session once',
  async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using redis = await RedisServer.start();
    const sessionStorage = { redis: redisPlan({ addresses: [redis.address] }), keyPrefix: '' };
    const bundle = { backends: [backendPlan('one', backend.peer.url)], sessionStorage };
    await using tree = await startTree(bundle, 2);
    await using other = await startTree(bundle, 2);
    for (const { status } of [tree, other]) await eventually(async () => (await status()).sessionStorage.ready);
    const sessions = await Promise.all([tree, tree, other].map(({ url }) => openSession(url)));
    const serve = async (url: string, id: number) => {
      for (const session of sessions) {
        const answer = await post(url, call(id, 'one_echo', { id }), session);
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('result');
      }
    };
    // Connections reach the workers in turn, so that both serve every session.
    for (let id = 0; id < 4; id++) for (const { url } of [tree, other]) await serve(url, id);
    const page = await tree.status();
    expect([page.sessionStorage.provider, page.sessions]).toEqual(['redis', 3]);
    expect(page.workers.map(({ sessions: held }) => held)).toEqual([3, 3]);
    const metrics = await (await fetch(`${tree.internalUrl}/metrics`)).text();
    expect(metrics).toMatch(/^lintel_mcp_active_connections\{.*"session".*"streamable-http".*\} 3$/m);

    await tree.kill(1);
    await eventually(async () => (await tree.status()).replacedWorkers === 1);
    for (let id = 10; id < 14; id++) await serve(tree.url, id);

    const [session = ''] = sessions;
    const ended = await oneConnection(other.url, { method: 'DELETE', headers: { 'mcp-session-id': session } });
    expect(ended.status).toBe(204);
    for (let id = 20; id < 24; id++)
      await eventually(async () => (await post(tree.url, { id, method: 'ping' }, session)).status === 404);
  },
);
