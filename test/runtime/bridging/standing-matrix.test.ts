/** What clients in sessions receive and cancel, over both of their transports, with every kind of backend. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { type Connect, type MatrixSession, SESSIONS } from './matrix-clients.ts';

const URI = 'memo://one';

const BACKENDS: readonly (readonly [
  kind: string,
  start: () => Promise<SdkServer>,
  transport: 'sse' | 'streamable-http',
])[] = [
  ['Streamable HTTP', () => startSdkServer({ transport: 'streamable-http' }), 'streamable-http'],
  ['HTTP+SSE', () => startSdkServer({ transport: 'sse' }), 'sse'],
  ['stateless', () => startStatelessServer(), 'streamable-http'],
];

describe.each(BACKENDS)('backend over %s', (_, start, transport) => {
  let backend: SdkServer;
  let gateway: TestGateway;

  beforeAll(async () => {
    backend = await start();
    gateway = await startGateway({ backends: [backendPlan('b', backend.url, { transport })] });
    await gateway.ready();
  });

  afterAll(async () => {
    await gateway.stop();
    await backend.close();
  });

  describe.each(SESSIONS)('client %s', (kind, connect: Connect<MatrixSession>) => {
    async function connected(name: string): Promise<MatrixSession> {
      const client = await connect(gateway.url, name);
      onTestFinished(() => client.close());
      return client;
    }

    const heardOf = ({ heard }: MatrixSession, method: string) => heard.filter(each => each.method === method);

    test('a client in a session cancels a call, and its next call succeeds', async () => {
      const client = await connected('ann');
      await client.callTool('b_echo', {});
      const before = backend.cancelled;
      const stop = new AbortController();
      const call = client.callTool('b_slow', {}, undefined, stop.signal);
      // A later call that is answered shows that the backend had time to get this call before its cancellation.
      await client.callTool('b_echo', {});
      stop.abort();
      await expect(call).rejects.toThrow();
      await eventually(() => backend.cancelled === before + 1);
      expect(await client.callTool('b_echo', { n: 1 })).toEqual({ text: '{"n":1}', isError: false });
    });

    test('a client in a session gets log messages from the level that it asked for', async () => {
      const client = await connected('ann');
      await client.callTool('b_echo', {});
      await client.setLoggingLevel('error');
      await client.callTool('b_log', {});
      await eventually(() => heardOf(client, 'notifications/message').some(levelIs('error')));
      await client.setLoggingLevel('info');
      await client.callTool('b_log', {});
      await eventually(() => heardOf(client, 'notifications/message').some(levelIs('info')));
      expect(heardOf(client, 'notifications/message').filter(levelIs('debug'))).toEqual([]);
    });

    test('a client in a session gets updates of a resource only while it is subscribed to the resource', async () => {
      const [ann, bob] = await Promise.all([connected('ann'), connected('bob')]);
      await ann.subscribe(URI);
      await eventually(() => backend.subscriptions.includes(URI));
      await backend.update(URI);
      await eventually(() => heardOf(ann, 'notifications/resources/updated').length === 1);
      expect(heardOf(ann, 'notifications/resources/updated')[0]).toMatchObject({ params: { uri: URI } });
      await ann.unsubscribe(URI);
      await bob.subscribe(URI);
      await eventually(async () => {
        await backend.update(URI);
        return heardOf(bob, 'notifications/resources/updated').length > 0;
      });
      expect(heardOf(ann, 'notifications/resources/updated')).toHaveLength(1);
      await bob.unsubscribe(URI);
    });

    test('a client in a session is notified of added and removed tools', async () => {
      const client = await connected('ann');
      const name = `new for ${kind}`.replaceAll(/\W/g, '_');
      await backend.setTools([{ name }]);
      await eventually(() => heardOf(client, 'notifications/tools/list_changed').length > 0);
      expect(await client.listTools()).toContain(`b_${name}`);
      expect(await client.callTool(`b_${name}`, {})).toEqual({ text: name, isError: false });
      const before = heardOf(client, 'notifications/tools/list_changed').length;
      await backend.setTools([]);
      await eventually(() => heardOf(client, 'notifications/tools/list_changed').length > before);
      expect(await client.listTools()).not.toContain(`b_${name}`);
    });
  });
});

const levelIs = (level: string) => (message: { readonly params?: unknown }) =>
  (message.params as { level: string }).level === level;
