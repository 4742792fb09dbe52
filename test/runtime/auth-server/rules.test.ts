/** The rules that the authorization server enforces for clients, browsers and upstreams (RFC 9700, and MCP's authorization page). */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AuthServerPlan } from '#schemas';
import { TestBrowser } from './browser.ts';
import { CALLBACK, callerStatus, RawOAuthClient } from './client.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startToolBackend } from './tool-backend.ts';
import { oauth2Plan, startOAuth2Upstream, type TestUpstream } from './upstreams.ts';

let gateway: IssuingGateway;
let forge: TestUpstream;

async function start(
  plan: Partial<AuthServerPlan> = {},
  more: Partial<Parameters<typeof startIssuingGateway>[0]> = {},
) {
  const port = await issuingPort();
  const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  const served = await startIssuingGateway({
    port,
    plan,
    upstreams: at => [oauth2Plan('forge', upstream, at)],
    ...more,
  });
  return { served, upstream };
}

async function startForTest(...args: Parameters<typeof start>) {
  const { served, upstream } = await start(...args);
  onTestFinished(async () => {
    await served.stop();
    await upstream.close();
  });
  return { served, upstream };
}

beforeAll(async () => {
  ({ served: gateway, upstream: forge } = await start());
});

afterAll(async () => {
  await gateway.stop();
  await forge.close();
});

/** Registrations are limited to one a second after the first five, so each part of this file has one client. */
let shared: RawOAuthClient;
beforeAll(async () => {
  shared = await RawOAuthClient.registered(gateway);
});

/** The same client in another browser, with another PKCE verifier. */
function another(): RawOAuthClient {
  const client = new RawOAuthClient(gateway);
  client.id = shared.id;
  return client;
}

describe('metadata', () => {
  test.each(['oauth-authorization-server', 'openid-configuration', 'oauth-authorization-server/mcp'])(
    'the metadata at /.well-known/%s announces PKCE with S256, and pages of any origin may read it',
    async name => {
      const answer = await fetch(`${gateway.origin}/.well-known/${name}`);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(await answer.json()).toMatchObject({
        issuer: gateway.issuer,
        authorization_endpoint: `${gateway.issuer}/oauth/authorize`,
        token_endpoint: `${gateway.issuer}/oauth/token`,
        registration_endpoint: `${gateway.issuer}/oauth/register`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
    },
  );

  test('the published key set of the authorization server has no private part', async () => {
    const { keys } = (await (await fetch(`${gateway.origin}/.well-known/jwks.json`)).json()) as { keys: object[] };
    expect(keys.map(key => Object.keys(key).sort())).toEqual([['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']]);
  });
});

describe('authorization', () => {
  test.each<[string, Record<string, string | undefined>, string]>([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://elsewhere.example.com' }, 'invalid_target'],
    ['with response_type=token', { response_type: 'token' }, 'unsupported_response_type'],
    ['with prompt=none', { prompt: 'none' }, 'login_required'],
  ])(
    'the authorization server sends a browser back to the client with an error for an authorization request %s',
    async (_, params, error) => {
      const { url } = await another().visit(params);
      expect(url.href).toContain(CALLBACK);
      // The error is in the same place as a token would be.
      const answer = url.hash === '' ? url.searchParams : new URLSearchParams(url.hash.slice(1));
      expect(answer.get('error')).toBe(error);
      expect(answer.get('state')).toBe('the state of the client');
      expect(answer.get('iss')).toBe(gateway.issuer);
    },
  );

  test.each<[string, string]>([
    ['another host', 'https://evil.example/callback'],
    ['a user in front of the host', 'http://127.0.0.1:41234@evil.example/callback'],
    ['a further path', `${CALLBACK}/../evil`],
    ['a query', `${CALLBACK}?next=https://evil.example`],
    ['a host name that begins with 127.0.0.1', 'http://127.0.0.1.evil.example/callback'],
    ['localhost in place of 127.0.0.1', 'http://localhost:41234/callback'],
  ])('the authorization server does not redirect a browser to a redirect URI with %s', async (_, redirect_uri) => {
    const page = await another().visit({ redirect_uri });
    expect(page.status).toBe(400);
    expect(page.way).toHaveLength(1);
    expect(page.text).toContain('an unknown address');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  test('a client with a redirect URI on loopback may use any port', async () => {
    const other = CALLBACK.replace('41234', '50505');
    const end = await another().visit({ redirect_uri: other });
    expect(end.url.href).toContain(other);
    expect(end.url.searchParams.get('code')).not.toBeNull();
  });

  test('an authorization request of an unknown client ends on an error page, and not with a redirect to the client', async () => {
    const page = await another().visit({ client_id: 'nobody' });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('not known here')]);
  });

  test('a client gets access_denied when the person or the upstream declines the sign-in', async () => {
    const before = forge.grants.length;
    expect((await another().visit({}, 'deny')).url.searchParams.get('error')).toBe('access_denied');
    forge.person = null;
    const refused = await another().visit();
    forge.person = 'alice';
    expect(refused.url.searchParams.get('error')).toBe('access_denied');
    expect(forge.grants.length).toBe(before);
  });

  test('a page of another site cannot consent for a person', async () => {
    const client = another();
    const page = await client.browser.open(client.authorizationUrl());
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? '';
    const answer = await client.browser.open(new URL(action, page.url).href, undefined, {
      method: 'POST',
      body: 'decision=allow',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
    });
    expect(answer.status).toBe(403);
  });

  test('only the browser that began a sign-in can consent to the sign-in and complete it', async () => {
    const client = another();
    const page = await client.browser.open(client.authorizationUrl());
    const stranger = new TestBrowser();
    expect((await stranger.submit(page, 'allow')).status).toBe(400);
    const sent = await client.browser.submit(page, 'allow', forge.origin);
    const back = await stranger.open(sent.url.href, CALLBACK);
    expect([back.status, back.text]).toEqual([400, expect.stringContaining('another browser')]);
  });

  test('the authorization server accepts the callback of an upstream once, and never a callback that no upstream sent', async () => {
    const client = another();
    const page = await client.browser.open(client.authorizationUrl());
    const sent = await client.browser.submit(page, 'allow', forge.origin);
    const end = await client.browser.open(sent.url.href, CALLBACK);
    const back = end.way.find(url => url.startsWith(`${gateway.origin}/oauth/callback`)) ?? '';
    expect(end.url.searchParams.get('code')).not.toBeNull();
    expect((await client.browser.open(back)).status).toBe(400);
    expect((await client.browser.open(`${gateway.origin}/oauth/callback?state=x&code=y`)).status).toBe(400);
    expect((await client.browser.open(`${gateway.origin}/oauth/callback`)).status).toBe(400);
  });
});

describe('tokens', () => {
  test('the authorization server accepts a code once, and only with the client id, PKCE verifier and redirect URI of its request', async () => {
    const client = another();
    const code = await client.code();
    const wrong = [{ code_verifier: 'x'.repeat(43) }, { redirect_uri: `${CALLBACK}x` }, { client_id: 'nobody' }];
    for (const more of wrong) expect((await client.redeem(code, more)).status).toBeGreaterThanOrEqual(400);
    const { status, body } = await client.redeem(code);
    expect(status).toBe(200);
    expect((await client.redeem(code)).body.error).toBe('invalid_grant');
    // Tokens issued from it are revoked with its second use.
    expect((await client.refresh(String(body.refresh_token))).body.error).toBe('invalid_grant');
  });

  test('of several concurrent requests that redeem a code, at most one gets tokens', async () => {
    const client = another();
    const code = await client.code();
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.redeem(code)));
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
  });

  test('a refresh request returns a new refresh token; the old one works once more, and its third use ends all tokens of the sign-in', async () => {
    const client = another();
    const first = await client.signIn();
    const second = await client.refresh(first.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.refresh_token);
    // The response was lost.
    const again = await client.refresh(first.refresh_token);
    expect(again.status).toBe(200);
    expect((await client.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    for (const token of [second.body.refresh_token, again.body.refresh_token])
      expect((await client.refresh(String(token))).body.error).toBe('invalid_grant');
  });

  test('the authorization server refuses a refresh token if another client sends it', async () => {
    const client = another();
    const { refresh_token } = await client.signIn();
    expect((await client.refresh(refresh_token, { client_id: 'nobody' })).status).toBeGreaterThanOrEqual(400);
    expect((await client.refresh(refresh_token)).status).toBe(200);
  });

  test('a client without the scope offline_access gets no refresh token', async () => {
    const client = another();
    const { body } = await client.redeem(await client.code({ scope: 'openid profile' }));
    expect(body).toMatchObject({ scope: 'openid profile', token_type: 'Bearer' });
    expect(body.refresh_token).toBeUndefined();
  });

  test('the authorization server accepts the URL of the gateway as resource also with a slash at the end', async () => {
    const client = another();
    const resource = `${gateway.origin}/`;
    const { status } = await client.redeem(await client.code({ resource }), { resource });
    expect(status).toBe(200);
  });

  test('the authorization server refuses an oversized token request', async () => {
    const { status } = await another().token({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(70_000) });
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe('keys and secrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-keys-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const pem = (name: string, type: 'ed25519' | 'ec' | 'rsa') => {
    const file = join(folder, name);
    const pair =
      type === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : type === 'ec'
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('ed25519');
    writeFileSync(file, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return { env: null, file };
  };
  const secret = (name: string) => {
    const file = join(folder, name);
    writeFileSync(file, name.repeat(40));
    return { env: null, file };
  };

  test.each([
    ['ed25519', 'EdDSA'],
    ['ec', 'ES256'],
    ['rsa', 'RS256'],
  ] as const)('a signing key of type %s signs tokens that the gateway accepts, and is published', async (type, alg) => {
    const { served } = await startForTest({ signingKeys: [pem(`one-${type}`, type)] });
    const client = await RawOAuthClient.registered(served);
    const { access_token } = await client.signIn();
    expect(decodeProtectedHeader(access_token).alg).toBe(alg);
    const keys = createRemoteJWKSet(new URL(`${served.origin}/.well-known/jwks.json`));
    await jwtVerify(access_token, keys, { issuer: served.issuer, audience: served.origin, typ: 'at+jwt' });
    expect(await callerStatus(served, access_token)).toBe(200);
    expect(await callerStatus(served, `${access_token.slice(0, -8)}AAAAAAAA`)).toBe(401);
  });

  test('after a rotation, tokens of the old signing key stay valid, and refresh tokens of a removed secret become invalid', async () => {
    const [older, newer] = [pem('older', 'rsa'), pem('newer', 'ec')];
    const [first, second] = [secret('first'), secret('second')];
    const { served } = await startForTest({ signingKeys: [older], hmacSecrets: [first] });
    const client = await RawOAuthClient.registered(served);
    const before = await client.signIn();
    await served.change({ signingKeys: [newer, older], hmacSecrets: [second, first] });
    const published = async () => {
      const { keys } = (await (await fetch(`${served.origin}/.well-known/jwks.json`)).json()) as {
        keys: { alg: string }[];
      };
      return keys.map(({ alg }) => alg);
    };
    await expect.poll(published).toEqual(['ES256', 'RS256']);
    expect(await callerStatus(served, before.access_token)).toBe(200);
    const renewed = await client.refresh(before.refresh_token);
    expect(decodeProtectedHeader(String(renewed.body.access_token)).alg).toBe('ES256');
    expect(await callerStatus(served, String(renewed.body.access_token))).toBe(200);
    await served.change({ signingKeys: [newer], hmacSecrets: [second] });
    await expect.poll(published).toEqual(['ES256']);
    // A token made with the second secret stays valid; one made with the first is not.
    expect((await client.refresh(String(renewed.body.refresh_token))).status).toBe(200);
    expect((await client.refresh(before.refresh_token)).body.error).toBe('invalid_grant');
  });
});

describe('tokens of upstreams', () => {
  test('a backend gets the token of the upstream and never that of the gateway, and the gateway renews the upstream token before it expires', async () => {
    const sent: (string | undefined)[] = [];
    const backend = await startToolBackend(['act'], headers => sent.push(headers.authorization));
    onTestFinished(() => backend.close());
    const { served, upstream } = await startForTest(
      {},
      { backend: `${backend.origin}/mcp`, auth: { type: 'upstream_inject', provider: 'forge' } },
    );
    // Shorter than the time by which tokens are renewed early, so each request renews.
    upstream.accessSeconds = 30;
    const client = await RawOAuthClient.registered(served);
    const { access_token } = await client.signIn();
    const caller = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${access_token}` } };
    await caller.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
    expect(await caller.callTool({ name: 'tell_act', arguments: {} })).toMatchObject({ content: [{ text: 'done' }] });
    await caller.close();
    // The upstream's token, and never the gateway's.
    expect(sent.at(-1)).toMatch(/^Bearer [0-9a-f]{32}$/);
    expect(sent).not.toContain(`Bearer ${access_token}`);
    const refreshes = () => upstream.grants.filter(grant => grant === 'refresh_token').length;
    expect(refreshes()).toBeGreaterThan(0);
    const before = refreshes();
    // Renewed once, however many requests wait for it.
    await Promise.all(Array.from({ length: 8 }, () => callerStatus(served, access_token)));
    expect(refreshes() - before).toBeLessThanOrEqual(1);
  });

  test('the gateway does not renew an upstream token if it sends no upstream tokens to backends', async () => {
    const { served, upstream } = await startForTest({ injectsUpstreamTokens: false });
    upstream.accessSeconds = 1;
    const client = await RawOAuthClient.registered(served);
    const { access_token } = await client.signIn();
    expect(await callerStatus(served, access_token)).toBe(200);
    expect(upstream.grants).not.toContain('refresh_token');
  });

  test('the gateway answers 401 to a signed-in caller when the upstream refuses to renew its token', async () => {
    const { served, upstream } = await startForTest();
    upstream.accessSeconds = 1;
    const client = await RawOAuthClient.registered(served);
    const { access_token } = await client.signIn();
    upstream.refreshes = false;
    await expect.poll(() => callerStatus(served, access_token), { interval: 500 }).toBe(401);
  });
});
