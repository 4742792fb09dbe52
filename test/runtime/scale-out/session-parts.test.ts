/** Each part of a session, set at one replica and used at another. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test } from 'vitest';
import type { StatusPage } from '#runtime';
import { backendPlan, eventually } from '../../support/gateway.ts';
import { withPeers } from '../../support/peers.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { backendsAreReady, type Replica, Replicas } from './replicas.ts';
import { call, disposable, listen, openSession, post, reading, readResult } from './wire.ts';

const UPDATED = 'notifications/resources/updated';

withPeers('redis-server').describe('at another replica', () => {
  test('the log level that a client set at one replica applies at another replica', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const client = new Client({ name: 'test', version: '1' });
    const levels: string[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void levels.push(params.level));
    await replicas.connect(client);
    await client.setLoggingLevel('error');
    // The replica with the client's stream opens its stream at the backend soon after another replica has opened the session.
    await eventually(async () => {
      await client.callTool({ name: 'one_log', arguments: {} });
      return levels.length > 0;
    });
    for (let at = 0; at < 3; at++) {
      const before = levels.length;
      await client.callTool({ name: 'one_log', arguments: {} });
      await eventually(() => levels.length > before);
    }
    expect(new Set(levels)).toEqual(new Set(['error']));
    await client.close();
  });

  test('the log level and the subscriptions of a client survive when its replica dies and the backend forgets its session', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other, third] = replicas.urls as [string, string, string];
    const uri = 'memo://one';
    const session = await openSession(one);
    await (await post(one, { id: 1, method: 'logging/setLevel', params: { level: 'error' } }, session)).text();
    await (await post(one, { id: 2, method: 'resources/subscribe', params: { uri } }, session)).text();
    const stream = reading(await listen(other, session));
    // Its stream at the backend is open.
    await eventually(async () => {
      await backend.peer.update(uri);
      return stream.text.includes(UPDATED);
    });
    await replicas.kill(0);
    backend.peer.forgetSessions();
    const before = backend.peer.initializations;
    const seen = stream.text.length;
    await (await post(third, call(3, 'one_echo'), session)).text();
    await eventually(async () => {
      await backend.peer.update(uri);
      return stream.text.includes(UPDATED, seen);
    });
    expect(backend.peer.subscriptions, 'in one session').toEqual([uri]);
    await (await post(third, call(4, 'one_log'), session)).text();
    await eventually(() => stream.text.includes('notifications/message', seen));
    expect(stream.text).not.toMatch(/"level":"(?!error)/);
    // Replicas probe the backend in sessions of their own.
    await backend.peer.setTools([{ name: 'added' }]);
    await eventually(() => stream.text.includes('notifications/tools/list_changed', seen));
    expect(backend.peer.initializations - before, 'opened again once, besides the looks').toBeLessThanOrEqual(3);
  });

  test.each([
    ['Streamable HTTP', 'streamable-http', () => startSdkServer({ transport: 'streamable-http' })],
    ['HTTP+SSE', 'sse', () => startSdkServer({ transport: 'sse' })],
    ['the stateless revision', 'streamable-http', () => startStatelessServer()],
  ] as const)(
    'a subscription that was made at one replica continues at another replica (backend: %s)',
    async (_name, transport, start) => {
      await using backend = await disposable<SdkServer>(start());
      const plan = backendPlan('one', backend.peer.url, { transport });
      await using replicas = await Replicas.start({ backends: [plan] });
      const [one, other, third] = replicas.urls as [string, string, string];
      const uri = 'memo://one';
      const session = await openSession(one);
      const stream = reading(await listen(other, session));
      const subscribe = (id: number, url: string, method: string) =>
        post(url, { id, method: `resources/${method}`, params: { uri } }, session).then(answer => answer.text());
      expect(await subscribe(1, one, 'subscribe')).toContain('"result":{}');
      await eventually(async () => {
        await backend.peer.update(uri);
        return stream.text.includes(UPDATED);
      });
      await replicas.kill(0);
      const standing = reading(await listen(third, session));
      await eventually(async () => {
        await backend.peer.update(uri);
        return standing.text.includes(UPDATED);
      });
      expect(await subscribe(2, other, 'unsubscribe')).toContain('"result":{}');
      await eventually(() => backend.peer.subscriptions.length === 0);
    },
  );

  test.each<[what: string, former: string, next: string]>([
    ['gave its backend another name', 'one', 'two'],
    ['gave its backend another address', 'one', 'one'],
  ])('a subscription continues at a replica that loads the session after a bundle %s', async (_what, former, next) => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using moved = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan(former, backend.peer.url)] }, { count: 2 });
    const [one, other] = replicas.urls as [string, string];
    const [, { internalUrl }] = replicas.replicas as [Replica, Replica];
    const digest = async () => ((await (await fetch(`${internalUrl}/status`)).json()) as StatusPage).bundle.digest;
    const session = await openSession(one);
    const list = await readResult(await post(one, { id: 1, method: 'resources/list' }, session));
    const { uri } = (list as { result: { resources: [{ uri: string }] } }).result.resources[0];
    await (await post(one, { id: 2, method: 'resources/subscribe', params: { uri } }, session)).text();
    const holder = next === former ? moved.peer : backend.peer;
    await replicas.kill(0);
    const before = await digest();
    await replicas.replace({ backends: [backendPlan(next, holder.url)] });
    await eventually(async () => (await digest()) !== before);
    const stream = reading(await listen(other, session));
    await eventually(async () => {
      await holder.update(uri);
      return stream.text.includes(UPDATED);
    });
    // The session under the backend's previous name stays, because it is not ended.
    const { length } = holder.subscriptions;
    await (await post(other, { id: 3, method: 'resources/unsubscribe', params: { uri } }, session)).text();
    await eventually(() => holder.subscriptions.length === length - 1);
  });

  test('a call continues at one replica after another replica has loaded a bundle with another connection to the backend', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] }, { count: 2 });
    const [one, other] = replicas.urls as [string, string];
    const session = await openSession(one, { elicitation: {} });
    await (await post(one, call(1, 'one_echo'), session)).text();
    const answering = await post(other, call(2, 'one_elicit'), session);
    const asked = reading(answering.clone());
    await eventually(() => asked.text.includes('elicitation/create'));
    const { id } = JSON.parse(/^data: (\{.*elicitation\/create.*)$/m.exec(asked.text)?.[1] ?? '') as { id: string };
    const [{ internalUrl }] = replicas.replicas as [Replica];
    const digest = async () => ((await (await fetch(`${internalUrl}/status`)).json()) as StatusPage).bundle.digest;
    const before = await digest();
    const open = backend.peer.openSessions;
    await replicas.replace({ backends: [backendPlan('one', backend.peer.url, { timeoutMs: 29_000 })] });
    await eventually(async () => (await digest()) !== before);
    await (await post(one, call(3, 'one_echo'), session)).text();
    // Its session exists as long as the other one waits for a response.
    await new Promise(resolve => setTimeout(resolve, 500));
    expect(backend.peer.openSessions).toBeGreaterThanOrEqual(open);
    await (await post(other, { id, result: { action: 'accept', content: {} } }, session)).text();
    expect(JSON.stringify(await readResult(answering))).toContain('accept');
  });

  test('a client can read, wait for, list and cancel a task at another replica than the one that began it', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http', tasks: true }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other, third] = replicas.urls as [string, string, string];
    const session = await openSession(one);
    const begin = async (id: number, name: string) => {
      const params = { name, arguments: { nonce: id }, task: { ttl: 60_000 } };
      const answer = (await readResult(await post(one, { id, method: 'tools/call', params }, session))) as {
        result: { task: { taskId: string } };
      };
      return answer.result.task.taskId;
    };
    const ask = async (url: string, id: number, method: string, taskId?: string) =>
      JSON.stringify(
        await readResult(await post(url, { id, method, params: taskId === undefined ? {} : { taskId } }, session)),
      );
    const [work, wait] = [await begin(1, 'one_work'), await begin(2, 'one_wait')];
    expect(await ask(other, 3, 'tasks/get', work)).toContain(work);
    expect(await ask(third, 4, 'tasks/result', work)).toContain('nonce');
    expect(await ask(other, 5, 'tasks/list')).toContain(wait);
    expect(await ask(third, 6, 'tasks/cancel', wait)).toContain('cancelled');
    expect(await ask(one, 7, 'tasks/get', wait)).toContain('cancelled');
  });

  test('a GET stream that a client opens at another replica replaces the former stream, and each update arrives once', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const [one, other, third] = replicas.urls as [string, string, string];
    const session = await openSession(one);
    const list = await readResult(await post(one, { id: 1, method: 'resources/list' }, session));
    const { uri } = (list as { result: { resources: [{ uri: string }] } }).result.resources[0];
    let sent = 0;
    const update = () => {
      sent++;
      return backend.peer.update(uri);
    };
    const first = reading(await listen(one, session));
    expect((await post(third, { id: 2, method: 'resources/subscribe', params: { uri } }, session)).status).toBe(200);
    await eventually(async () => {
      await update();
      return first.text.includes(UPDATED);
    });
    const second = reading(await listen(other, session));
    await eventually(async () => {
      await update();
      return second.text.includes(UPDATED);
    });
    const seen = ({ text }: { readonly text: string }) => text.split(UPDATED).length - 1;
    const [ofFirst, ofSecond] = [seen(first), seen(second)];
    for (let at = 0; at < 20; at++) await update();
    await eventually(() => seen(second) >= ofSecond + 20);
    expect(seen(first), 'the former stream gets no more').toBe(ofFirst);
    expect(seen(first) + seen(second), 'nothing twice').toBeLessThanOrEqual(sent);
  });

  test.each([
    [false, 'the replica that processed this request has ended: the request may have had an effect'],
    [
      true,
      'the replica that processed this request has ended: the request only reads and had no effect, so send it again',
    ],
  ])(
    'when the replica that runs a call to a tool with readOnlyHint %s dies, the client learns whether the call may have had an effect',
    async (readOnlyHint, message) => {
      await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
      const overrides = { elicit: { annotations: { readOnlyHint } } };
      const tools = { prefix: 'one_', advertise: { type: 'all' }, overrides } as const;
      await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url, { tools })] });
      const [one, other] = replicas.urls as [string, string];
      const session = await openSession(one, { elicitation: {} });
      const read = reading(await post(one, call(7, 'one_elicit'), session));
      const id = () => /^id: (.+)$/m.exec(read.text)?.[1];
      await eventually(() => read.text.includes('elicitation/create') && id() !== undefined);
      await replicas.kill(0);
      const { error } = (await readResult(await listen(other, session, id()))) as {
        error: { message: string; data: object };
      };
      expect(error.message).toBe(message);
      expect(error.data).toEqual({ reason: 'replica_lost' });
      expect((await post(other, call(8, 'one_echo'), session)).status, 'and the session goes on').toBe(200);
    },
  );

  test('clients lose no call when one replica after another is replaced', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using replicas = await Replicas.start({ backends: [backendPlan('one', backend.peer.url)] });
    const clients = await Promise.all(Array.from({ length: 4 }, () => replicas.connect()));
    let isOver = false;
    const counts = clients.map(async client => {
      let count = 0;
      while (!isOver) {
        const result = await client.callTool({ name: 'one_echo', arguments: { count } });
        expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ count }) }]);
        count++;
      }
      return count;
    });
    for (let at = 0; at < 3; at++) {
      await replicas.add(backendsAreReady);
      await replicas.retire(0);
    }
    isOver = true;
    for (const count of await Promise.all(counts)) expect(count).toBeGreaterThan(0);
    for (const client of clients) await client.close();
  });
});
