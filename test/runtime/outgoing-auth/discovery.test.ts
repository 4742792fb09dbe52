/** Backends that only answer callers: which caller discovers their items, and when. */

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLogger } from '#runtime';
import type { OutgoingAuthPlan, TokenAuthPlan } from '#schemas';
import type { BackendSession } from '../../../runtime/gateway/backends/backend.ts';
import { GATEWAY_SENDER, getSessionKey, type Sender } from '../../../runtime/gateway/backends/sender.ts';
import { CallerDiscovery, MAX_AT_ONCE } from '../../../runtime/gateway/connections/caller-discovery.ts';
import { NOTHING_OFFERED } from '../../../runtime/gateway/offers/offered-items.ts';
import { BackendError } from '../../../runtime/mcp/backend-error.ts';
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

/** Accepts the tokens of the token endpoint. */
const demands: GuardedBackend['check'] = ({ headers }) =>
  String(headers.authorization).startsWith('Bearer for-') ? undefined : 401;

async function clientOf(kind: ClientKind, url: string, sub: string, heard: Heard[] = []) {
  const token = await idp.issue({ claims: { sub } });
  return connect(kind, url, () => ({ authorization: `Bearer ${token}` }), heard);
}

describe.each(BACKEND_KINDS)('a backend of kind %s', backendKind => {
  describe.each(CLIENT_KINDS)('and a client of kind %s', clientKind => {
    test("the first list of the first caller has the tools of a backend that requires a caller's credential, and /status says unauthenticated", async () => {
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
      // One caller's list is never shown to another: each is read once, with that caller's credential.
      const lists = () => backend.received.filter(({ rpc }) => rpc === 'tools/list').length;
      const before = lists();
      const bob = await clientOf(clientKind, gateway.url, 'bob');
      expect(await bob.tools()).toContain('s_echo');
      expect(await bob.tools()).toContain('s_echo');
      expect(lists()).toBe(before + 1);
      await bob.call('s_echo');
      expect(backend.calls().map(({ headers }) => headers.authorization)).toEqual([
        'Bearer for-alice',
        'Bearer for-bob',
      ]);
    });

    test("a call reaches a backend that requires a caller's credential before any caller has listed tools", async () => {
      const { plan } = await startTokenEndpoint();
      const backend = await startBackend(backendKind, demands);
      const gateway = await startServed({ backends: [backendPlan('s', backend.url, { auth: plan })], incomingAuth });
      const client = await clientOf(clientKind, gateway.url, 'alice');
      expect(await client.call('s_echo', { a: 1 })).toBe('{"a":1}');
      await expect(client.call('other_echo')).rejects.toMatchObject({ code: -32602 });
    });

    test('a caller that a backend refuses gets the tools of other backends, and a challenge for calls to this backend', async () => {
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
      // The gateway's own requests to it are only probes.
      expect(backend.received.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
      await open.close();
    });
  });
});

const sender = (key: string): Sender => ({ ...GATEWAY_SENDER, identity: { caller: undefined, key } });
const [ann, bob, eve] = [sender('ann'), sender('bob'), sender('eve')];
const refused = new BackendError('b', 'login_required', 'log in again');

/** A discovery whose backend refuses Eve, returns a tool with the caller's name to others, and responds when the test decides. */
function discoveryOf(intervalMs = 60_000) {
  const asked: string[] = [];
  const told: string[] = [];
  const answers: (() => void)[] = [];
  const monitor = { requiresCallerAuth: true, limits: { intervalMs, timeoutMs: 1_000, unhealthyThreshold: 3 } };
  const discovery = new CallerDiscovery({
    monitor: {
      ...monitor,
      get requiresCallerAuth() {
        return monitor.requiresCallerAuth;
      },
      readIn: session => {
        const { owner } = session as unknown as { owner: string };
        asked.push(owner);
        const offer = {
          announced: {},
          items: { ...NOTHING_OFFERED, tools: [{ name: owner }] },
          mcpRevision: '2025-11-25',
        };
        return new Promise((resolve, reject) =>
          answers.push(() => (owner === 'eve' ? reject(refused) : resolve(offer))),
        );
      },
      noteOffering: () => {},
    },
    log: createLogger('silent'),
    openSession: ({ identity }) => ({ owner: identity.key }) as unknown as BackendSession,
    onCallerListChanged: (caller, { changed, items }) =>
      told.push(`${caller}: ${[...changed]}, ${items.tools.length} new`),
  });
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await sleep(0);
  };
  const names = (one: Sender) => discovery.findList(getSessionKey(one))?.offered.tools.map(({ name }) => name) ?? [];
  return { discovery, monitor, asked, answer, names, told };
}

describe('discovery of the items that a backend offers to single callers', () => {
  test('the gateway reads the list of each caller once with the credential of this caller, and notifies only this caller of it', async () => {
    const { discovery, asked, answer, names, told } = discoveryOf();
    const learning = [ann, bob, ann, eve].map(one => discovery.discover(one));
    await sleep(0);
    expect(asked).toEqual(['ann', 'bob', 'eve']);
    for (const _ of asked) await answer();
    expect(await Promise.all(learning)).toEqual([undefined, undefined, undefined, refused]);
    expect([ann, bob, eve].map(names)).toEqual([['ann'], ['bob'], []]);
    expect([ann, bob, eve].map(one => discovery.isPending(one))).toEqual([false, false, true]);
    expect(told).toEqual(['ann: tools, 1 new', 'bob: tools, 1 new']);
  });

  test('a caller whose list did not arrive in time does not wait for it again in the same interval, and the gateway can still read the list', async () => {
    const { discovery, asked, answer } = discoveryOf(1_000);
    expect([discovery.isDue(eve), discovery.isDue(bob)]).toEqual([true, true]);
    for (const one of [eve, bob]) {
      void discovery.discover(one);
      await answer();
      discovery.hasWaited(one);
    }
    expect([discovery.isDue(eve), discovery.isPending(eve), discovery.isPending(bob)]).toEqual([false, true, false]);
    void discovery.discover(eve);
    expect(asked).toEqual(['eve', 'bob', 'eve']);
    await vi.waitFor(() => expect(discovery.isDue(eve)).toBe(true));
  });

  test('the gateway drops the item lists of callers when the backend no longer requires credentials of callers', async () => {
    const { discovery, answer, names } = discoveryOf();
    void discovery.discover(ann);
    await answer();
    discovery.clear();
    expect([names(ann), discovery.isEmpty, discovery.isPending(ann)]).toEqual([[], true, true]);
  });

  test('callers have different lists also when only their forwarded headers differ', async () => {
    const { discovery, asked, answer } = discoveryOf();
    void discovery.discover(ann);
    await answer();
    expect(discovery.isPending({ ...ann, passed: { 'x-tenant': 'b' } })).toBe(true);
    expect(asked).toEqual(['ann']);
  });

  test('the gateway reads the item lists of only a few callers at a time, and those of the remaining callers as these reads end', async () => {
    const { discovery, asked, answer } = discoveryOf();
    const many = Array.from({ length: MAX_AT_ONCE + 2 }, (_, index) => sender(`caller ${index}`));
    const learning = many.map(one => discovery.discover(one));
    await sleep(0);
    expect(asked.length).toBe(MAX_AT_ONCE);
    for (const _ of many) await answer();
    await Promise.all(learning);
    expect(asked).toEqual(many.map(({ identity }) => identity.key));
  });

  test('the gateway reads an old list of a caller again in the background, with its credential, but not before a pause has passed', async () => {
    const { discovery, asked, answer, names } = discoveryOf(1);
    for (const one of [ann, bob]) {
      void discovery.discover(one);
      await answer();
    }
    expect(await discovery.discover(bob)).toBeUndefined();
    expect(asked).toEqual(['ann', 'bob']);
    await sleep(300);
    expect(await discovery.discover(bob)).toBeUndefined();
    discovery.refresh(bob);
    discovery.refresh(eve);
    expect(asked).toEqual(['ann', 'bob', 'bob']);
    await answer();
    expect(names(ann)).toEqual(['ann']);
  });

  test('a list that the backend reports as changed is read again with the credential of the notified caller', async () => {
    const { discovery, asked, answer } = discoveryOf();
    for (const one of [ann, bob]) {
      void discovery.discover(one);
      await answer();
    }
    await sleep(300);
    discovery.refresh(bob);
    expect(asked).toEqual(['ann', 'bob']);
    discovery.changed(bob);
    expect(asked).toEqual(['ann', 'bob', 'bob']);
    await answer();
  });

  test('a backend that requires no credentials of callers gets no list requests with the credentials of callers', async () => {
    const { discovery, monitor, asked } = discoveryOf();
    monitor.requiresCallerAuth = false;
    expect(discovery.isPending(ann)).toBe(false);
    expect(await discovery.discover(ann)).toBeUndefined();
    discovery.changed(ann);
    expect(asked).toEqual([]);
  });
});
