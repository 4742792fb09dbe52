import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { Replicas } from './replicas.ts';
import { call, disposable, INITIALIZE, openSession, post } from './wire.ts';

withPeers('redis-server').describe('three replicas without affinity', () => {
  test.each(['streamable-http', 'sse'] as const)(
    'serve one session with one session at the backend (%s)',
    async transport => {
      await using backend = await disposable(startSdkServer({ transport }));
      await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url, { transport })] });
      const before = backend.peer.initializations;
      const clients = await Promise.all(Array.from({ length: 5 }, () => replicas.connect()));
      for (const client of clients) {
        for (let at = 0; at < 6; at++) {
          const result = await client.callTool({ name: 'one_echo', arguments: { at } });
          expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ at }) }]);
        }
      }
      // One for each client; replicas look at the backend by sessions of their own, which end.
      expect(backend.peer.initializations - before).toBe(5);
      for (const client of clients) await client.close();
    },
  );

  describe('that live on', () => {
    let backend: SdkServer;
    let replicas: Replicas;
    beforeAll(async () => {
      backend = await startSdkServer({ transport: 'streamable-http' });
      replicas = await Replicas.start({ backends: [backendPlan('one', backend.url)] });
    });
    afterAll(async () => {
      await replicas[Symbol.asyncDispose]();
      await backend.close();
    });

    test('open one session with a backend for calls that come to all of them at once', async () => {
      const client = await replicas.connect();
      const calls = Array.from({ length: 30 }, (_, at) => client.callTool({ name: 'one_echo', arguments: { at } }));
      expect((await Promise.all(calls)).map(({ isError }) => isError ?? false)).toEqual(calls.map(() => false));
      const open = backend.openSessions;
      await client.callTool({ name: 'one_echo', arguments: {} });
      await eventually(() => backend.openSessions <= open);
      await client.close();
    });

    test('bring a question of a backend the answer that comes to another replica', async () => {
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
      const asked: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { name: params.message } };
      });
      await replicas.connect(client);
      for (let at = 0; at < 6; at++) {
        const result = await client.callTool({ name: 'one_elicit', arguments: { message: `m${at}` } });
        expect(JSON.stringify(result.content)).toContain(`m${at}`);
      }
      expect(asked, 'each once').toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
      await client.close();
    });

    test('cancel a call that runs at another replica', async () => {
      const client = await replicas.connect();
      const { slowCalls, cancelled } = backend;
      for (let at = 0; at < 3; at++) {
        const stop = new AbortController();
        const answer = client.callTool({ name: 'one_slow', arguments: {} }, undefined, { signal: stop.signal });
        await eventually(() => backend.slowCalls === slowCalls + at + 1);
        stop.abort('enough');
        await expect(answer).rejects.toThrow('enough');
        await eventually(() => backend.cancelled === cancelled + at + 1);
      }
      await client.close();
    });

    test('pass updates of a resource to the client, whichever replica it subscribed and listens at', async () => {
      const client = await replicas.connect();
      const { resources } = await client.listResources();
      const [{ uri }] = resources as unknown as [{ uri: string }];
      const updated: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
      await client.subscribeResource({ uri });
      await eventually(async () => {
        await backend.update(uri);
        return updated.length > 0;
      });
      expect(backend.subscriptions).toEqual([uri]);
      await client.unsubscribeResource({ uri });
      await eventually(() => backend.subscriptions.length === 0);
      await client.close();
    });

    test('know of the end of a session at once, wherever it is ended', async () => {
      const [one, ...others] = replicas.replicas.map(({ url }) => url) as [string, string, string];
      const session = await openSession(one);
      for (const url of [one, ...others]) {
        expect((await post(url, { id: 1, method: 'ping' }, session)).status).toBe(200);
      }
      expect(
        (await fetch(others[0] as string, { method: 'DELETE', headers: { 'Mcp-Session-Id': session } })).status,
      ).toBe(204);
      expect((await post(others[0] as string, { id: 2, method: 'ping' }, session)).status).toBe(404);
      await eventually(async () => (await post(one, { id: 2, method: 'ping' }, session)).status === 404);
      expect((await post(others[1] as string, { id: 2, method: 'ping' }, session)).status).toBe(404);
    });
  });

  test('open a session again once that the backend has forgotten', async () => {
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

  test('lose no session with a replica that is killed', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const sessions = await Promise.all(Array.from({ length: 9 }, () => openSession(replicas.url)));
    for (const session of sessions) await (await post(replicas.url, call(1, 'one_echo'), session)).text();
    const before = backend.peer.initializations;
    await replicas.kill(0);
    await replicas.kill(0);
    for (const session of sessions) {
      const answer = await post(replicas.url, call(2, 'one_echo', { at: 2 }), session);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('result');
    }
    expect(backend.peer.initializations, 'the sessions with the backend as well').toBe(before);
  });

  test('replay at another replica what a client has missed, also when its replica was killed', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other] = replicas.replicas.map(({ url }) => url) as [string, string];
    const session = await openSession(one);
    const params = { name: 'one_progress', arguments: {}, _meta: { progressToken: 'p' } };
    const whole = await (await post(one, { id: 7, method: 'tools/call', params }, session)).text();
    const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string);
    expect(ids.length).toBeGreaterThan(3);
    const behind = whole.slice(whole.indexOf(`event: message\nid: ${ids[2]}`));
    const resume = (id: string) =>
      fetch(other, { headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session, 'Last-Event-ID': id } });
    expect(await (await resume(ids[1] as string)).text()).toBe(behind);
    await replicas.kill(0);
    expect(await (await resume(ids[1] as string)).text()).toBe(behind);
    const unfinished = (ids[0] as string).replace(/^(\d+)\.7-/, (_, stream) => `${Number(stream) + 1}.8-`);
    const gone = await (await resume(unfinished)).text();
    expect(gone).toContain('"id":8');
    expect(gone).toContain('may have had an effect');
  });

  test('let sessions go on at their replica while Redis is away, and open none', async () => {
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
