/** A gateway that registers itself at an upstream (RFC 7591), and users who need not sign in at an upstream again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import type { AuthServerPlan, UpstreamRegistrationPlan } from '#schemas';
import { MemoryStore } from '../../../runtime/authserver/storage/memory-store.ts';
import { withPeers } from '../../support/peers.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { callerStatus, RawOAuthClient } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startReplicas } from './replicas.ts';
import { oauth2Plan, oidcPlan, startOAuth2Upstream, startOidcUpstream, type TestUpstream } from './upstreams.ts';

const folder = mkdtempSync(join(tmpdir(), 'lintel-registration-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secretFile = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return { env: null, file: join(folder, name) };
};

const REGISTRATION: UpstreamRegistrationPlan = {
  discoveryUrl: null,
  endpoint: null,
  initialAccessToken: null,
  softwareId: null,
  softwareStatement: null,
};

function registering(upstream: TestUpstream, callback: string, more: Partial<UpstreamRegistrationPlan> = {}) {
  const registration = {
    ...REGISTRATION,
    ...(more.endpoint === undefined
      ? { discoveryUrl: `${upstream.origin}/.well-known/oauth-authorization-server` }
      : {}),
    ...more,
  };
  return { ...oauth2Plan('forge', upstream, callback), clientId: null, clientSecret: null, registration };
}

async function start(more: (upstream: TestUpstream) => Partial<UpstreamRegistrationPlan> = () => ({})) {
  const port = await issuingPort();
  const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  const gateway = await startIssuingGateway({ port, upstreams: at => [registering(upstream, at, more(upstream))] });
  onTestFinished(async () => {
    await gateway.stop();
    await upstream.close();
  });
  return { gateway, upstream };
}

test('the gateway registers itself once at an upstream, even for concurrent sign-ins, with settings that the upstream metadata allows', async () => {
  const { gateway, upstream } = await start();
  const clients = await Promise.all([1, 2, 3].map(() => RawOAuthClient.registered(gateway)));
  await Promise.all(clients.map(client => client.signIn()));
  expect(upstream.wishes).toEqual([
    {
      client_name: 'Lintel gateway',
      redirect_uris: [`${gateway.origin}/oauth/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'repo',
    },
  ]);
});

test('the request of the gateway to register at an upstream has the software statement and the initial access token of the spec', async () => {
  const { gateway, upstream } = await start(({ origin }) => ({
    endpoint: `${origin}/register`,
    initialAccessToken: secretFile('initial', 'let me in'),
    softwareId: 'lintel',
    softwareStatement: 'a.b.c',
  }));
  await (await RawOAuthClient.registered(gateway)).signIn();
  expect(upstream.wishes).toEqual([
    expect.objectContaining({ authorization: 'Bearer let me in', software_id: 'lintel', software_statement: 'a.b.c' }),
  ]);
});

test('a sign-in ends on an error page while the upstream refuses to register the gateway, and succeeds once the upstream accepts', async () => {
  const { gateway, upstream } = await start();
  upstream.refusesRegistration = true;
  const client = await RawOAuthClient.registered(gateway);
  const page = await client.visit();
  expect([page.status, page.text]).toEqual([502, expect.stringContaining('cannot be reached')]);
  upstream.refusesRegistration = false;
  await client.signIn();
});

test('the gateway registers itself again when the upstream no longer knows the client id of the gateway', async () => {
  const { gateway, upstream } = await start();
  const client = await RawOAuthClient.registered(gateway);
  await client.signIn();
  upstream.registered.length = 0;
  expect((await client.visit()).status).toBe(502);
  await client.signIn();
  expect(upstream.wishes).toHaveLength(2);
});

withPeers('redis-server').test(
  'replicas share one registration at an upstream, and a restart of the gateway keeps the registration',
  async () => {
    await using server = await RedisServer.start();
    await using replicas = await startReplicas(redisPlan({ addresses: [server.address] }), 2, {
      upstreams: (_, forge, callback) => [registering(forge, callback)],
    });
    const { forge: upstream } = replicas;
    const client = await RawOAuthClient.registered(replicas.gateway);
    await Promise.all([client.signIn(), new RawOAuthClient(replicas.gateway).visit({ client_id: client.id })]);
    await replicas.start();
    await replicas.stopOldest();
    await replicas.stopOldest();
    const other = new RawOAuthClient(replicas.gateway);
    other.id = client.id;
    await other.signIn();
    expect(upstream.wishes).toHaveLength(1);
    const keys = (await server.tell('KEYS', '*upstream-client*')) as string[];
    expect(keys).toHaveLength(1);
    const stored = String(await server.tell('GET', keys[0] ?? ''));
    for (const { client_id, client_secret } of upstream.registered) {
      expect(stored).not.toContain(client_secret);
      expect(stored).not.toContain(client_id);
    }
  },
);

async function chain(plan: Partial<AuthServerPlan> = {}) {
  const port = await issuingPort();
  const callback = `http://127.0.0.1:${port}/oauth/callback`;
  const [company, forge] = [await startOidcUpstream(callback), await startOAuth2Upstream(callback)];
  const gateway = await startIssuingGateway({
    port,
    plan,
    upstreams: at => [oidcPlan('company', company, at), oauth2Plan('forge', forge, at)],
  });
  onTestFinished(async () => {
    await gateway.stop();
    await company.close();
    await forge.close();
  });
  const visits = async (client: RawOAuthClient) => {
    const { way, url } = await client.visit();
    expect(url.searchParams.get('code'), url.href).not.toBeNull();
    return {
      visited: [company, forge].filter(({ origin }) => way.some(at => at.startsWith(origin))),
      tokens: (await client.redeem(url.searchParams.get('code') ?? '')).body as { access_token: string },
    };
  };
  return { gateway, company, forge, visits };
}

test('a sign-in skips an upstream whose token is valid or renewable, and sends the person to an upstream that refuses to renew', async () => {
  const { gateway, company, forge, visits } = await chain();
  const client = await RawOAuthClient.registered(gateway);
  forge.accessSeconds = 30;
  const first = await visits(client);
  expect(first.visited).toEqual([company, forge]);
  // It expires within the time by which tokens are renewed early.
  forge.accessSeconds = 3600;
  const second = await visits(client);
  expect(second.visited).toEqual([company]);
  expect(forge.grants.filter(grant => grant === 'refresh_token')).toHaveLength(1);
  expect((await visits(client)).visited, 'nothing had to be renewed').toEqual([company]);
  expect(forge.grants.filter(grant => grant === 'refresh_token')).toHaveLength(1);
  for (const { tokens } of [first, second]) expect(await callerStatus(gateway, tokens.access_token)).toBe(200);

  company.person = 'bob';
  const elsewhere = new RawOAuthClient(gateway);
  elsewhere.id = client.id;
  const bob = await visits(elsewhere);
  expect(bob.visited, 'another person has tokens of their own').toEqual([company, forge]);
  expect(decodeJwt(bob.tokens.access_token).sub).not.toBe(decodeJwt(first.tokens.access_token).sub);
});

test('when an upstream refuses to renew a token, the gateway drops the token, and the next sign-in sends the person to that upstream', async () => {
  const { gateway, company, forge, visits } = await chain();
  const client = await RawOAuthClient.registered(gateway);
  forge.accessSeconds = 1;
  const { tokens } = await visits(client);
  forge.refreshes = false;
  await expect.poll(() => callerStatus(gateway, tokens.access_token), { interval: 500 }).toBe(401);
  forge.accessSeconds = 3600;
  expect((await visits(client)).visited).toEqual([company, forge]);
  // A client with valid tokens would not have sent the user to sign in.
  expect(await callerStatus(gateway, tokens.access_token)).toBe(401);
});

test('a sign-in sends the person to an upstream again if the token of this upstream has no known expiry', async () => {
  const { gateway, company, forge, visits } = await chain();
  const client = await RawOAuthClient.registered(gateway);
  forge.accessSeconds = 0;
  await visits(client);
  expect((await visits(client)).visited).toEqual([company, forge]);
});

test('the store in memory keeps the registrations of the gateway at a hundred upstreams, as many as a spec can have', async () => {
  const store = new MemoryStore();
  onTestFinished(() => store.close());
  for (let n = 0; n < 100; n++) await store.put('upstream-client', `${n}`, {}, { ttlSeconds: null });
  store.sweep();
  expect(store.size('upstream-client')).toBe(100);
});
