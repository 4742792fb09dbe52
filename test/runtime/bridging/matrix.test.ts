/** Every kind of client with every kind of backend: each gets messages of its own revision and transport. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { CLIENTS, saidBy } from './matrix-clients.ts';

let sdk: SdkServer;
let sse: SdkServer;
let stateless: SdkServer;
let gateway: TestGateway;

beforeAll(async () => {
  [sdk, sse, stateless] = await Promise.all([
    startSdkServer({ transport: 'streamable-http' }),
    startSdkServer({ transport: 'sse' }),
    startStatelessServer(),
  ]);
  gateway = await startGateway({
    backends: [
      backendPlan('sdk', sdk.url),
      backendPlan('sse', sse.url, { transport: 'sse' }),
      backendPlan('stateless', stateless.url),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([sdk, sse, stateless].map(server => server.close()));
});

describe.each(CLIENTS)('client %s', (kind, connect) => {
  async function connected(name: string) {
    const client = await connect(gateway.url, name);
    onTestFinished(() => client.close());
    return client;
  }

  describe.each(['sdk', 'sse', 'stateless'])('backend "%s"', backend => {
    test('a client of any kind lists the tools of a backend of any kind', async () => {
      const names = await (await connected('ann')).listTools();
      expect(names).toEqual(expect.arrayContaining(['echo', 'progress', 'elicit', 'fail'].map(n => `${backend}_${n}`)));
    });

    test('three clients of any kind call a backend of any kind at the same time, and each gets the answers to its own calls', async () => {
      const clients = await Promise.all(['ann', 'bob', 'cem'].map(connected));
      const calls = clients.flatMap((client, who) =>
        [0, 1, 2, 3].map(async n => [
          `${who} ${n}`,
          await client.callTool(`${backend}_echo`, { nonce: `${who} ${n}` }),
        ]),
      );
      for (const [nonce, result] of await Promise.all(calls)) {
        expect(result).toEqual({ text: JSON.stringify({ nonce }), isError: false });
      }
    });

    test('a client of any kind gets the progress of a call to a backend of any kind', async () => {
      const seen: number[] = [];
      const result = await (await connected('ann')).callTool(`${backend}_progress`, {}, n => void seen.push(n));
      expect([result.text, seen]).toEqual(['done', [1, 2, 3]]);
    });

    test('a client of any kind gets the failure of a tool from a backend of any kind', async () => {
      const result = await (await connected('ann')).callTool(`${backend}_fail`, {});
      expect(result).toEqual({ text: 'it failed', isError: true });
    });

    test('a client of any kind gets an error for a tool that does not exist', async () => {
      const call = (await connected('ann')).callTool(`${backend}_nothing`, {});
      await expect(call).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`unknown tool "${backend}_nothing"`),
      });
    });

    test('a client of any kind gets the question that a backend of any kind asks for its call, and no question for the call of another client', async () => {
      const names = ['ann', 'bob', 'cem'].map(name => `${name} of ${kind}`);
      const clients = await Promise.all(names.map(connected));
      const results = await Promise.all(clients.map(client => client.callTool(`${backend}_elicit`, {})));
      for (const [index, { text }] of results.entries()) {
        expect(text).toContain(`"${saidBy(names[index] as string, 'Name?')}"`);
      }
    });
  });
});
