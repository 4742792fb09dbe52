/** Backends with different lists for each caller: no caller sees the list of another. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TokenAuthPlan } from '#schemas';
import { backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { CLIENT_KINDS, type ClientKind, connect, startServed, startTokenEndpoint, type TestClient } from './harness.ts';

let idp: IdentityProvider;
let incomingAuth: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  incomingAuth = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());

type Name = 'ann' | 'bob';

const LISTED = {
  ann: { tools: ['s_common', 's_secret'], resources: ['memo://ann', 'memo://common'] },
  bob: { tools: ['s_common'], resources: ['memo://common'] },
};

/**
 * A backend that lists more items to Ann than to Bob. It answers Bob's calls like hers, because these tests are only about lists.
 */
async function startSelective() {
  const rights: Record<Name, { tools: string[]; resources: string[] }> = {
    ann: { tools: ['common', 'secret'], resources: ['memo://common', 'memo://ann'] },
    bob: { tools: ['common'], resources: ['memo://common'] },
  };
  const server = await startRawServer((request, response) => {
    const caller = /^Bearer for-(ann|bob)$/.exec(String(request.headers.authorization))?.[1] as Name | undefined;
    if (caller === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      return;
    }
    const answers: Record<string, object> = {
      'tools/list': { tools: rights[caller].tools.map(name => ({ name, inputSchema: { type: 'object' } })) },
      'resources/list': { resources: rights[caller].resources.map(uri => ({ uri, name: uri })) },
      'tools/call': { content: [{ type: 'text', text: caller }] },
    };
    const open = withHandshake(
      ({ message }, out) => {
        const result = answers[message.method];
        const error = { code: -32601, message: 'unknown method' };
        sendJson(out, JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }));
      },
      undefined,
      { tools: {}, resources: {} },
    );
    return open(request, response);
  });
  onTestFinished(() => server.close());
  return { url: `${server.origin}/mcp`, rights };
}

async function startSelectiveGateway(intervalMs = 60_000) {
  const { plan } = await startTokenEndpoint();
  const backend = await startSelective();
  const gateway = await startServed({
    backends: [backendPlan('s', backend.url, { auth: plan })],
    incomingAuth,
    operational: { health: { intervalMs, timeoutMs: 10_000, unhealthyThreshold: 3 } },
  });
  const clientOf = async (kind: ClientKind, sub: Name) => {
    const token = await idp.issue({ claims: { sub } });
    return connect(kind, gateway.url, () => ({ authorization: `Bearer ${token}` }));
  };
  return { backend, clientOf };
}

async function listed(client: TestClient) {
  return { tools: (await client.tools()).toSorted(), resources: (await client.resources()).toSorted() };
}

const ORDERS: readonly (readonly [Name, Name])[] = [
  ['ann', 'bob'],
  ['bob', 'ann'],
];

describe.each(CLIENT_KINDS)('clients of kind %s', kind => {
  test.each(ORDERS)(
    'each caller lists the tools that a backend offers to this caller: first %s, then %s',
    async (...order) => {
      const { clientOf } = await startSelectiveGateway();
      for (const name of [...order, ...order]) expect(await listed(await clientOf(kind, name))).toEqual(LISTED[name]);
    },
  );

  test.each(ORDERS)(
    'each caller lists the tools that a backend offers to this caller: %s and %s at the same time',
    async (...order) => {
      const { clientOf } = await startSelectiveGateway();
      const clients = await Promise.all(order.map(name => clientOf(kind, name)));
      expect(await Promise.all(clients.map(listed))).toEqual(order.map(name => LISTED[name]));
    },
  );

  test('a caller whose rights at the backend shrink gets a new list, and another caller keeps its list', async () => {
    const { backend, clientOf } = await startSelectiveGateway(300);
    // A new client for each list, because stateless ones cache lists for some seconds.
    const listOf = async (name: Name) => listed(await clientOf(kind, name));
    expect(await listOf('ann')).toEqual(LISTED.ann);
    expect(await listOf('bob')).toEqual(LISTED.bob);
    backend.rights.bob = { tools: [], resources: [] };
    const isRefreshed = async () => expect(await listOf('bob')).toEqual({ tools: [], resources: [] });
    await vi.waitFor(isRefreshed, { timeout: 10_000, interval: 200 });
    const ann = await clientOf(kind, 'ann');
    expect(await listed(ann)).toEqual(LISTED.ann);
    expect(await ann.call('s_secret')).toBe('ann');
  });

  test('a caller can call a tool that a backend offers only to it, after another caller has listed tools', async () => {
    const { clientOf } = await startSelectiveGateway();
    expect(await listed(await clientOf(kind, 'bob'))).toEqual(LISTED.bob);
    expect(await (await clientOf(kind, 'ann')).call('s_secret')).toBe('ann');
  });
});

test('a caller is notified when its own list has changed, and not when the list of another caller has', async () => {
  const { backend, clientOf } = await startSelectiveGateway(300);
  const [ann, bob] = [await clientOf('session', 'ann'), await clientOf('session', 'bob')];
  await listed(ann);
  await listed(bob);
  const before = [ann.notified.length, bob.notified.length];
  // Ann has it already, so the table is unchanged.
  backend.rights.bob.tools.push('secret');
  await vi.waitFor(async () => expect((await bob.tools()).length).toBe(2), 10_000);
  await vi.waitFor(() => expect(bob.notified.slice(before[1])).toContain('notifications/tools/list_changed'));
  await sleep(50);
  expect(ann.notified.slice(before[0])).toEqual([]);
});
