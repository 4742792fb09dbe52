/** Cedar policies in a gateway that is its own issuer: they see users by the claims of an upstream token. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import type { CedarPlan } from '#schemas';
import { cedarPlan } from '../authorization/plans.ts';
import { RawOAuthClient } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startToolBackend } from './tool-backend.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

const opened: { close?(): Promise<unknown>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await (one.close?.() ?? one.stop?.());
});

async function start(policies: readonly string[], more: Partial<CedarPlan> = {}) {
  const backend = await startToolBackend(['read', 'write']);
  const port = await issuingPort();
  const callback = `http://127.0.0.1:${port}/oauth/callback`;
  const [first, second] = [await startOAuth2Upstream(callback), await startOAuth2Upstream(callback)];
  const gateway = await startIssuingGateway({
    port,
    backend: `${backend.origin}/mcp`,
    upstreams: at => [oauth2Plan('first', first, at), oauth2Plan('second', second, at)],
    authorization: cedarPlan(policies, { primaryUpstream: 'second', ...more }),
  });
  opened.push(backend, first, second, gateway);
  return { gateway, first, second };
}

async function toolsOf(url: string, token: string): Promise<readonly string[]> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

const READ_FOR_STAFF = 'permit(principal in Group::"staff", action, resource == Tool::"tell_read");';

test('Cedar policies see the claims of the upstream that the spec names, and the new claims once the gateway has renewed the upstream token', async () => {
  const { gateway, first, second } = await start([
    READ_FOR_STAFF,
    'permit(principal == Client::"alice", action, resource == Tool::"tell_write") when { principal.claim_level == 3 };',
  ]);
  first.claims = { groups: [], level: 0 };
  second.claims = { groups: ['staff'], level: 3 };
  const client = await RawOAuthClient.registered(gateway);
  const { access_token: token } = await client.signIn();
  expect(await toolsOf(gateway.url, token)).toEqual(['tell_read', 'tell_write']);
  // Within the time by which tokens are renewed early: the next request renews it.
  second.accessSeconds = 30;
  // Another user, because the first would skip the second upstream, whose token is valid.
  first.person = 'bob';
  second.claims = { sub: 'alice', groups: ['staff'], level: 3 };
  const { access_token: short } = await client.signIn();
  second.claims = { sub: 'alice', groups: [], level: 3 };
  expect(await toolsOf(gateway.url, short)).toEqual(['tell_write']);
  // Earlier tokens keep their claims.
  expect(await toolsOf(gateway.url, token)).toEqual(['tell_read', 'tell_write']);
});

test('when the token of the upstream is opaque, Cedar policies see the claims of the token that the gateway issued', async () => {
  const { gateway } = await start(['permit(principal, action, resource) when { principal.claim_name == "alice" };']);
  const client = await RawOAuthClient.registered(gateway);
  const { access_token: token } = await client.signIn();
  expect(await toolsOf(gateway.url, token)).toEqual(['tell_read', 'tell_write']);
});

test('the gateway shows no tools to a caller whose upstream token has no subject, even if a policy permits everything', async () => {
  const { gateway, second } = await start(['permit(principal, action, resource);']);
  second.claims = { sub: undefined, groups: ['staff'] };
  const client = await RawOAuthClient.registered(gateway);
  const { access_token: token } = await client.signIn();
  expect(await toolsOf(gateway.url, token)).toEqual([]);
});
