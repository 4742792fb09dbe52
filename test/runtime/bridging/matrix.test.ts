/** Every kind of client in front of every kind of backend: whoever speaks what, both get what they know. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { CALL_KINDS, violation } from '../soak/calls.ts';
import type { SoakClient } from '../soak/clients/ending.ts';
import { SdkV1Client, SdkV2Client } from '../soak/clients/sdk-clients.ts';
import { SessionClient } from '../soak/clients/session-client.ts';
import { StatelessClient } from '../soak/clients/stateless-client.ts';
import { Wire } from '../soak/clients/wire.ts';
import { STALL_LIMIT_MS } from '../soak/peers/moods.ts';
import { PeerProcess } from '../soak/peers/processes.ts';
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
    test('lists', async () => {
      const names = await (await connected('ann')).listTools();
      expect(names).toEqual(expect.arrayContaining(['echo', 'progress', 'elicit', 'fail'].map(n => `${backend}_${n}`)));
    });

    test('calls, at the same time as others', async () => {
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

    test('hears the progress', async () => {
      const seen: number[] = [];
      const result = await (await connected('ann')).callTool(`${backend}_progress`, {}, n => void seen.push(n));
      expect([result.text, seen]).toEqual(['done', [1, 2, 3]]);
    });

    test('gets a failure of the tool', async () => {
      const result = await (await connected('ann')).callTool(`${backend}_fail`, {});
      expect(result).toEqual({ text: 'it failed', isError: true });
    });

    test('gets an error for a tool that is not there', async () => {
      const call = (await connected('ann')).callTool(`${backend}_nothing`, {});
      await expect(call).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`unknown tool "${backend}_nothing"`),
      });
    });

    test('is asked, each client for its own call', async () => {
      const names = ['ann', 'bob', 'cem'].map(name => `${name} of ${kind}`);
      const clients = await Promise.all(names.map(connected));
      const results = await Promise.all(clients.map(client => client.callTool(`${backend}_elicit`, {})));
      for (const [index, { text }] of results.entries()) {
        expect(text).toContain(`"${saidBy(names[index] as string, 'Name?')}"`);
      }
    });
  });
});

describe('a hand-broken backend', () => {
  /** Each fault once: whether it comes from `garbling` or `moving` in a soak makes no difference to what it is. */
  const KINDS = CALL_KINDS.filter(({ backend }) => !['pair', 'stateless', 'dying'].includes(backend)).filter(
    ({ mood }, index, all) => all.findIndex(other => other.mood === mood) === index,
  );
  const SOAK_CLIENTS: readonly (readonly [kind: string, make: (url: string, wire: Wire) => SoakClient])[] = [
    ['SDK v1', url => new SdkV1Client('v1', url)],
    ['SDK v2, stateless', url => new SdkV2Client('v2 stateless', url, 'auto')],
    ['SDK v2, session', url => new SdkV2Client('v2 session', url, 'legacy')],
    ['raw session', (_, wire) => new SessionClient('raw session', wire)],
    ['raw stateless', (_, wire) => new StatelessClient('raw stateless', wire)],
  ];
  let peers: PeerProcess;
  let broken: TestGateway;

  beforeAll(async () => {
    peers = await PeerProcess.start({ broken: ['streamable', 0] });
    broken = await startGateway({
      backends: [backendPlan('broken', peers.url('broken'), { timeoutMs: STALL_LIMIT_MS })],
    });
  });

  afterAll(async () => {
    await broken.stop();
    await peers[Symbol.asyncDispose]();
  });

  test.concurrent.each(SOAK_CLIENTS)(
    'what %s gets for every fault, and the next call is well',
    async (_, make) => {
      const wire = new Wire(broken.url, 4);
      const client = make(broken.url, wire);
      await client.open();
      const violations: string[] = [];
      for (const kind of KINDS.map(each => ({ ...each, backend: 'broken' }))) {
        for (const [mood, outcomes] of [
          [kind.mood, kind.outcomes],
          ['plain', ['answer']],
        ] as const) {
          const nonce = `${client.name}: ${kind.mood} then ${mood}`;
          const ending = await client.call('broken_echo', { mood, nonce });
          const problem = violation({ ...kind, mood, outcomes }, nonce, client.name, ending);
          if (problem !== undefined) violations.push(`${nonce}: ${problem}`);
        }
      }
      expect(violations).toEqual([]);
      await client.close();
      await wire.close();
      expect(peers.program.stderr.text).toBe('');
      // Two of the faults last as long as the backend may be silent.
    },
    6 * STALL_LIMIT_MS,
  );
});
