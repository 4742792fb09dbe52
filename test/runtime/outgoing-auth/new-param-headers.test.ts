/** A tool that begins to declare headers, at a backend that only answers callers: the list is read with the current caller's credential. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { startHeaderBackend, WITH_REGION } from '../gateway/header-backend.ts';
import { connect, startServed, startTokenEndpoint } from './harness.ts';

let idp: IdentityProvider;

beforeAll(async () => {
  idp = await startIdentityProvider();
});

afterAll(() => idp.close());

test.each(['session', 'stateless'] as const)(
  'calls of a %s client still succeed after a tool begins to require an Mcp-Param header',
  async kind => {
    const { plan } = await startTokenEndpoint();
    const backend = await startHeaderBackend();
    backend.letsIn = ({ authorization }) => authorization === 'Bearer for-ann';
    const gateway = await startServed({
      backends: [backendPlan('s', backend.url, { auth: plan })],
      incomingAuth: authPlan([providerPlan(idp)]),
    });
    const token = await idp.issue({ claims: { sub: 'ann' } });
    const client = await connect(kind, gateway.url, () => ({ authorization: `Bearer ${token}` }));
    expect(await client.tools()).toEqual(['s_tool']);
    const { lists } = backend;
    backend.properties = WITH_REGION;
    const regions = ['eu', 'us', 'af'];
    const answers = Promise.all(regions.map(region => client.call('s_tool', { region })));
    expect(await answers).toEqual(['ran', 'ran', 'ran']);
    const sent = backend.calls.map(headers => headers['mcp-param-region']);
    expect(sent.filter(region => region !== undefined).toSorted()).toEqual(regions.toSorted());
    // A call that was refused while the list was being read may trigger another reading.
    expect(backend.lists - lists).toBeLessThanOrEqual(2);
  },
);
