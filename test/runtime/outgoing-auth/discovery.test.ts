/** Backends that answer callers only: who finds out what they offer, and when. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutgoingAuthPlan, TokenAuthPlan } from '#schemas';
import { BackendError, type BackendSession } from '../../../runtime/gateway/backend/backend.ts';
import { CallerDiscovery } from '../../../runtime/gateway/caller-discovery.ts';
import { NO_HEADERS, type Sender } from '../../../runtime/gateway/sender.ts';
import { createLogger } from '../../../runtime/observe/log.ts';
import { backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import {
  BACKEND_KINDS,
  CLIENT_KINDS,
  type ClientKind,
  connect,
  type GuardedBackend,
  type Heard,
  startBackend,
  startServed,
  startTokenEndpoint,
} from './harness.ts';

let idp: IdentityProvider;
let incomingAuth: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  incomingAuth = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());

/** Lets in the tokens of the token endpoint. */
const demands: GuardedBackend['check'] = ({ headers }) =>
  String(headers.authorization).startsWith('Bearer for-') ? undefined : 401;

async function clientOf(kind: ClientKind, url: string, sub: string, heard: Heard[] = []) {
  const token = await idp.issue({ claims: { sub } });
  return connect(kind, url, () => ({ authorization: `Bearer ${token}` }), heard);
}

describe.each(BACKEND_KINDS)('a backend with %s', backendKind => {
  describe.each(CLIENT_KINDS)('and a client in its %s', clientKind => {
    test('the first list of the first caller has it; the status says that it wants to know who asks', async () => {
      const { plan } = await startTokenEndpoint();
      const backend = await startBackend(backendKind, demands);
      const backends = [backendPlan('s', backend.url, { auth: plan })];
      const operational = { partialFailure: 'fail' } as const;
      const gateway = await startServed({ backends, incomingAuth, operational });
      expect(await gateway.status()).toMatchObject({
        healthy: true,
        backends: [{ status: 'unauthenticated', consecutiveFailures: 0 }],
        counts: { tools: 0 },
      });
      const client = await clientOf(clientKind, gateway.url, 'alice');
      expect(await client.tools()).toContain('s_echo');
      expect(await client.call('s_echo', { a: 1 })).toBe('{"a":1}');
      expect(await gateway.status()).toMatchObject({ backends: [{ status: 'unauthenticated' }] });
      // What one has learnt serves the others, whose credentials are their own all the same.
      const lists = () => backend.received.filter(({ rpc }) => rpc === 'tools/list').length;
      const before = lists();
      const bob = await clientOf(clientKind, gateway.url, 'bob');
      expect(await bob.tools()).toContain('s_echo');
      expect(lists()).toBe(before);
      await bob.call('s_echo');
      expect(backend.calls().map(({ headers }) => headers.authorization)).toEqual([
        'Bearer for-alice',
        'Bearer for-bob',
      ]);
    });

    test('a call finds it before anybody has listed', async () => {
      const { plan } = await startTokenEndpoint();
      const backend = await startBackend(backendKind, demands);
      const gateway = await startServed({ backends: [backendPlan('s', backend.url, { auth: plan })], incomingAuth });
      const client = await clientOf(clientKind, gateway.url, 'alice');
      expect(await client.call('s_echo', { a: 1 })).toBe('{"a":1}');
      await expect(client.call('other_echo')).rejects.toMatchObject({ code: -32602 });
    });

    test('a caller that it refuses gets the others, and a challenge for what it calls there', async () => {
      const auth: OutgoingAuthPlan = { type: 'upstream_inject', provider: 'github' };
      const [backend, open] = await Promise.all([
        startBackend(backendKind, demands),
        startSdkServer({ transport: 'streamable-http' }),
      ]);
      const backends = [backendPlan('open', open.url), backendPlan('s', backend.url, { auth })];
      const gateway = await startServed({ backends, incomingAuth });
      const heard: Heard[] = [];
      const client = await clientOf(clientKind, gateway.url, 'alice', heard);
      heard.splice(0);
      const names = await client.tools();
      expect(names).toContain('open_echo');
      expect(names.filter(name => name.startsWith('s_'))).toEqual([]);
      await expect(client.call('s_echo')).rejects.toThrow();
      expect(heard.map(({ status }) => status)).toEqual([401]);
      expect(heard[0]?.headers.get('www-authenticate')).toContain('upstream token not found: log in again');
      expect(await client.call('open_echo', { a: 1 })).toBe('{"a":1}');
      // It has never been asked in the name of nobody: only what probes send.
      expect(backend.received.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
      await open.close();
    });
  });
});

const sender = (key: string): Sender => ({ identity: { caller: undefined, key }, passed: NO_HEADERS });
const [ann, bob, eve] = [sender('ann'), sender('bob'), sender('eve')];
const refused = new BackendError('b', 'login_required', 'log in again');

/** A discovery whose backend refuses Eve, and whose answers the test lets through. */
function discoveryOf(intervalMs = 60_000) {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const monitor = { asksCallers: true, limits: { intervalMs, timeoutMs: 1_000, unhealthyThreshold: 3 } };
  const discovery = new CallerDiscovery({
    monitor: {
      ...monitor,
      get asksCallers() {
        return monitor.asksCallers;
      },
      learnIn: session => {
        const { owner } = session as unknown as { owner: string };
        asked.push(owner);
        return new Promise((resolve, reject) => answers.push(() => (owner === 'eve' ? reject(refused) : resolve())));
      },
    },
    log: createLogger('silent'),
    openSession: ({ identity }) => ({ owner: identity.key }) as unknown as BackendSession,
  });
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await sleep(0);
  };
  return { discovery, monitor, asked, answer };
}

describe('discovery', () => {
  test('callers that come together ask once', async () => {
    const { discovery, asked, answer } = discoveryOf();
    const learning = [ann, bob, eve].map(one => discovery.learn(one));
    await answer();
    expect(await Promise.all(learning)).toEqual([undefined, undefined, undefined]);
    expect(asked).toEqual(['ann']);
    expect(discovery.isPending).toBe(false);
  });

  test('what one is refused does not count for those who wait with it', async () => {
    const { discovery, asked, answer } = discoveryOf();
    const [first, second, third] = [eve, ann, bob].map(one => discovery.learn(one));
    await answer();
    await answer();
    expect(await Promise.all([first, second, third])).toEqual([refused, undefined, undefined]);
    expect(asked).toEqual(['eve', 'ann']);
  });

  test('what is old is learnt again without anybody waiting, not sooner than the pause', async () => {
    const { discovery, asked, answer } = discoveryOf(1);
    void discovery.learn(ann);
    await answer();
    expect(await discovery.learn(bob)).toBeUndefined();
    expect(asked).toEqual(['ann']);
    await sleep(300);
    expect(await discovery.learn(bob)).toBeUndefined();
    discovery.refresh(eve);
    expect(asked).toEqual(['ann', 'bob']);
    await answer();
  });

  test('what the backend says has changed is learnt again in the name of whom it told', async () => {
    const { discovery, asked, answer } = discoveryOf();
    void discovery.learn(ann);
    await answer();
    await sleep(300);
    discovery.refresh(bob);
    expect(asked).toEqual(['ann']);
    discovery.changed(bob);
    expect(asked).toEqual(['ann', 'bob']);
  });

  test('a backend that answers the gateway itself is not asked', async () => {
    const { discovery, monitor, asked } = discoveryOf();
    monitor.asksCallers = false;
    expect(discovery.isPending).toBe(false);
    expect(await discovery.learn(ann)).toBeUndefined();
    discovery.changed(ann);
    expect(asked).toEqual([]);
  });
});
