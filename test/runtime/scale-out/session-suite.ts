/** What clients with sessions get from a gateway with several processes, both with shared sessions in Redis and with workers. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statelessCall, statelessHead } from '../../bench/gateway/calls.ts';
import { type BundleOptions, backendPlan, eventually } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import type { Several } from './several.ts';
import { call, createWire, disposable } from './wire.ts';

const ECHO = { name: 'one_echo', arguments: {} };

export function suiteOfSessions(start: (bundle: BundleOptions) => Promise<Several>): void {
  describe('while all processes run', () => {
    const stack = new AsyncDisposableStack();
    let backends: { readonly one: SdkServer; readonly sse: SdkServer; readonly stateless: SdkServer };
    let several: Several;
    beforeAll(async () => {
      const [one, sse, stateless] = await Promise.all([
        startSdkServer({ transport: 'streamable-http' }),
        startSdkServer({ transport: 'sse' }),
        startStatelessServer(),
      ]);
      backends = { one, sse, stateless };
      for (const peer of [one, sse, stateless]) stack.defer(() => peer.close());
      // All have the same resource, and the first backend by name serves it.
      const plans = [
        backendPlan('one', one.url),
        backendPlan('sse', sse.url, { transport: 'sse' }),
        backendPlan('stateless', stateless.url),
      ];
      several = stack.use(await start({ backends: plans }));
    });
    afterAll(() => stack.disposeAsync());

    test.each(['one', 'sse'] as const)(
      'each session of a client has one session at backend "%s", whichever process serves a call',
      async name => {
        const before = backends[name].initializations;
        const clients = await Promise.all(Array.from({ length: 5 }, () => several.connect()));
        for (const client of clients) {
          for (let at = 0; at < 6; at++) {
            const result = await client.callTool({ name: `${name}_echo`, arguments: { at } });
            expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ at }) }]);
          }
        }
        // One for each client; processes probe the backend in sessions of their own, which end.
        expect(backends[name].initializations - before).toBe(5);
        for (const client of clients) await client.close();
      },
    );

    test('calls that come to all processes at the same moment open one session with a backend', async () => {
      const client = await several.connect();
      const calls = Array.from({ length: 30 }, (_, at) => client.callTool({ name: 'one_echo', arguments: { at } }));
      expect((await Promise.all(calls)).map(({ isError }) => isError ?? false)).toEqual(calls.map(() => false));
      const open = backends.one.openSessions;
      await client.callTool(ECHO);
      await eventually(() => backends.one.openSessions <= open);
      await client.close();
    });

    test('a backend gets the answer to its question when the answer comes to another process', async () => {
      const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
      const asked: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { name: params.message } };
      });
      await several.connect(client);
      for (let at = 0; at < 6; at++) {
        const result = await client.callTool({ name: 'one_elicit', arguments: { message: `m${at}` } });
        expect(JSON.stringify(result.content)).toContain(`m${at}`);
      }
      expect(asked, 'each once').toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5']);
      await client.close();
    });

    test('a client can cancel a call, whichever process runs the call', async () => {
      const client = await several.connect();
      const { one } = backends;
      const { slowCalls, cancelled } = one;
      for (let at = 0; at < 3; at++) {
        const stop = new AbortController();
        const args = { name: 'one_slow', arguments: {} };
        const answer = client.callTool(args, undefined, { signal: stop.signal });
        await eventually(() => one.slowCalls === slowCalls + at + 1);
        stop.abort('enough');
        await expect(answer).rejects.toThrow('enough');
        await eventually(() => one.cancelled === cancelled + at + 1);
      }
      await client.close();
    });

    test('a client gets updates of a resource, whichever processes got the subscription and the GET stream', async () => {
      const client = await several.connect();
      const { one } = backends;
      const { resources } = await client.listResources();
      const [{ uri }] = resources as unknown as [{ uri: string }];
      const updated: string[] = [];
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void updated.push(params.uri));
      await client.subscribeResource({ uri });
      await eventually(async () => {
        await one.update(uri);
        return updated.length > 0;
      });
      expect(one.subscriptions).toEqual([uri]);
      await client.unsubscribeResource({ uri });
      await eventually(() => one.subscriptions.length === 0);
      await client.close();
    });

    test('every process serves stateless clients', async () => {
      const head = statelessHead('stateless_echo').trimEnd().split('\r\n');
      const headers = {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...Object.fromEntries(head.map(line => line.split(': ') as [string, string])),
      };
      for (let at = 0; at < 6; at++) {
        const request = { method: 'POST', headers, body: statelessCall('stateless_echo') };
        const answer = await several.fetch(several.url, request);
        expect(answer.status).toBe(200);
        expect(await answer.text()).toContain('"result"');
      }
    });
  });

  test('no session is lost when the processes that opened it are killed', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using several = await start({ backends: [backendPlan('one', backend.peer.url)] });
    const { openSession, post } = createWire(several.fetch);
    const sessions = await Promise.all(Array.from({ length: 9 }, () => openSession(several.url)));
    for (const session of sessions) await (await post(several.url, call(1, 'one_echo'), session)).text();
    const before = backend.peer.initializations;
    const started = await several.killMost();
    for (const session of sessions) {
      const answer = await post(several.url, call(2, 'one_echo', { at: 2 }), session);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('result');
    }
    // The sessions with the backend are kept too; a process that starts probes it in a session of its own.
    expect(backend.peer.initializations - before).toBeLessThanOrEqual(started);
  });

  test('a client that reconnects to another process gets the events that it missed, also of a killed process', async () => {
    await using backend = await disposable(startSdkServer({ transport: 'streamable-http' }));
    await using several = await start({ backends: [backendPlan('one', backend.peer.url)] });
    const { openSession, post, listen } = createWire(several.fetch);
    const [one, other] = several.urls as [string, string];
    const session = await openSession(one);
    const params = { name: 'one_progress', arguments: {}, _meta: { progressToken: 'p' } };
    const whole = await (await post(one, { id: 7, method: 'tools/call', params }, session)).text();
    const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, id]) => id as string);
    expect(ids.length).toBeGreaterThan(3);
    const missed = whole.slice(whole.indexOf(`event: message\nid: ${ids[2]}`));
    const resume = async (id: string) => (await listen(other, session, id)).text();
    expect(await resume(ids[1] as string)).toBe(missed);
    await several.killFirst();
    expect(await resume(ids[1] as string)).toBe(missed);
    const unfinished = (ids[0] as string).replace(/^(\d+)\.7-/, (_, stream) => `${Number(stream) + 1}.8-`);
    const lost = await resume(unfinished);
    expect(lost).toContain('"id":8');
    expect(lost).toContain('may have had an effect');
  });
}
