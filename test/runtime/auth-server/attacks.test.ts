/** Attacks against an authorization server, and their outcome. RULES.md of the room names the rule for each test. */

import { request } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { digestSecret, isSecret } from '../../../runtime/authserver/client-secret.ts';
import { CALLBACK, RawOAuthClient } from './client.ts';
import { type Forgery, type ForgingUpstream, startForgingUpstream } from './forging-upstream.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, oidcPlan, startOAuth2Upstream, type TestUpstream, UPSTREAM_SECRET_VARIABLE } from './upstreams.ts';

const DELEGATE = { id: 'agent', secret: { env: UPSTREAM_SECRET_VARIABLE, file: null }, scopes: ['openid'] };
const OTHER_AUDIENCE = 'https://other.example.com';

let gateway: IssuingGateway;
let forge: TestUpstream;
let client: RawOAuthClient;
beforeAll(async () => {
  const port = await issuingPort();
  forge = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  gateway = await startIssuingGateway({
    port,
    upstreams: at => [oauth2Plan('forge', forge, at)],
    plan: { delegateClients: [{ ...DELEGATE, audiences: [OTHER_AUDIENCE] }] },
  });
  client = await RawOAuthClient.registered(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await forge.close();
});

async function isLetIn(token: unknown, at = gateway): Promise<boolean> {
  const caller = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const connected = caller.connect(new StreamableHTTPClientTransport(new URL(at.url), { requestInit }));
  const isIn = await connected.then(
    () => true,
    error => {
      expect(String(error)).toMatch(/invalid_token|Unauthorized/);
      return false;
    },
  );
  await caller.close();
  return isIn;
}

describe('credentials of one client', () => {
  test('the authorization server refuses a code or refresh token when another registered client sends it', async () => {
    const thief = await RawOAuthClient.registered(gateway);
    const stolen = await client.code();
    expect((await thief.redeem(stolen, { code_verifier: client.verifier })).body.error).toBe('invalid_grant');
    const { refresh_token: token } = await client.signIn();
    expect((await thief.refresh(token)).body.error).toBe('invalid_grant');
    expect((await client.refresh(token)).status).toBe(200);
  });

  test('the authorization server refuses a code that an attacker injected into the sign-in of a client with another PKCE verifier', async () => {
    const victim = new RawOAuthClient(gateway);
    victim.id = client.id;
    const injected = await client.code();
    expect((await victim.redeem(injected)).body.error).toBe('invalid_grant');
  });

  test('the authorization server refuses a code that was requested with PKCE without its verifier', async () => {
    const code = await client.code();
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    expect((await client.token(form)).status).toBe(400);
  });

  test('the gateway refuses a token for another audience, an ID token and a refresh token', async () => {
    const { body } = await client.redeem(await client.code());
    expect(await isLetIn(body.access_token)).toBe(true);
    expect(await isLetIn(body.id_token)).toBe(false);
    expect(await isLetIn(body.refresh_token)).toBe(false);
    const secret = encodeURIComponent(process.env[UPSTREAM_SECRET_VARIABLE] ?? '');
    const answer = await fetch(`${gateway.issuer}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`agent:${secret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: String(body.access_token),
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      }),
    });
    const { access_token: other } = (await answer.json()) as { access_token: string };
    expect(answer.status).toBe(200);
    expect(await isLetIn(other)).toBe(false);
  });

  test('the gateway refuses a token that another gateway issued', async () => {
    const second = await startIssuingGateway({ upstreams: at => [oauth2Plan('forge', forge, at)] });
    onTestFinished(() => second.stop());
    const { access_token: token } = await client.signIn();
    expect(await isLetIn(token, second)).toBe(false);
  });
});

describe('values of a request', () => {
  test('the authorization server adds no header for a line break in the state of a client', async () => {
    const state = 'a\r\nSet-Cookie: evil=1\r\n\r\n<script>';
    const end = await client.visit({ state });
    expect(end.url.searchParams.get('state')).toBe(state);
    const refused = await fetch(client.authorizationUrl({ state, response_type: 'token' }), { redirect: 'manual' });
    expect(refused.headers.getSetCookie().join()).not.toContain('evil');
  });

  test.each(['Host', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-For', 'Forwarded'])(
    'the addresses in answers of the authorization server never depend on the content of the header %s',
    async name => {
      const paths = [
        '/.well-known/oauth-authorization-server',
        '/oauth/callback?state=a&code=b',
        client.authorizationUrl(),
      ];
      for (const path of paths) {
        const { text, headers } = await ask(new URL(path, gateway.issuer), { [name]: 'evil.example' });
        expect([path, `${text}${JSON.stringify(headers)}`]).toEqual([
          path,
          expect.not.stringContaining('evil.example'),
        ]);
      }
    },
  );

  test('the consent page shows the name of a client as text, not as HTML', async () => {
    const dressed = await RawOAuthClient.registered(gateway, { client_name: '<img src=x onerror=alert(1)>"\'&' });
    const page = await dressed.browser.open(dressed.authorizationUrl());
    expect(page.text).not.toContain('<img');
    expect(page.text).toContain('&#60;img');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('referrer-policy')).toBe('same-origin');
  });

  test('the authorization server asks the person for consent at each sign-in, before it contacts an upstream', async () => {
    await client.signIn();
    const before = forge.grants.length;
    const page = await client.browser.open(client.authorizationUrl());
    expect(page.url.origin).toBe(gateway.issuer);
    expect(page.text).toContain('<form');
    expect(forge.grants.length).toBe(before);
  });
});

/** With `node:http`, because `fetch` sets its own `Host`. */
function ask(url: URL, headers: Record<string, string>): Promise<{ readonly text: string; readonly headers: object }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, async answer => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve({ text, headers: answer.headers });
    });
    sent.on('error', reject).end();
  });
}

describe('an oversized request', () => {
  const big = 'x'.repeat(100 * 1024);

  async function* inParts(text: string) {
    for (let at = 0; at < text.length; at += 8192) yield Buffer.from(text.slice(at, at + 8192));
  }

  test.each([
    ['/oauth/token', 'application/x-www-form-urlencoded', `grant_type=refresh_token&refresh_token=${big}`],
    ['/oauth/register', 'application/json', JSON.stringify({ redirect_uris: [CALLBACK], more: big })],
  ])(
    'the authorization server reads only the beginning of an oversized body for %s that has no Content-Length',
    async (path, type, body) => {
      const init = { method: 'POST', headers: { 'content-type': type }, body: inParts(body), duplex: 'half' };
      const answer = await fetch(`${gateway.issuer}${path}`, init as unknown as RequestInit).then(
        ({ status }) => String(status),
        () => 'cut off',
      );
      expect(answer).toMatch(/^(?:cut off|4\d\d)$/);
    },
  );

  test('the authorization server answers an oversized authorization request with 414 and does not store it', async () => {
    const { status, text } = await client.browser.open(client.authorizationUrl({ state: big }));
    expect([status, text]).toEqual([414, expect.stringContaining('too long')]);
    expect((await client.visit({ state: 'x'.repeat(4096) })).url.searchParams.get('code')).not.toBeNull();
  });
});

describe('an upstream that sends false answers', () => {
  let liar: ForgingUpstream;
  let at: IssuingGateway;
  let visitor: RawOAuthClient;
  beforeAll(async () => {
    liar = await startForgingUpstream(process.env[UPSTREAM_SECRET_VARIABLE] ?? '');
    at = await startIssuingGateway({ upstreams: callback => [oidcPlan('liar', liar, callback)] });
    visitor = await RawOAuthClient.registered(at);
  });
  afterAll(async () => {
    await at.stop();
    await liar.close();
  });

  test('the authorization server signs a person in when the upstream sends a valid ID token', async () => {
    liar.forgery = {};
    expect((await visitor.visit()).url.searchParams.get('code')).not.toBeNull();
  });

  /** What the client receives, or the status of the page at which the browser ends. */
  async function outcome(): Promise<string> {
    const end = await visitor.visit();
    if (!end.url.href.startsWith(CALLBACK)) return String(end.status);
    return end.url.searchParams.get('error') ?? 'a code';
  }

  const hour = 3600;
  const now = Math.floor(Date.now() / 1000);

  test.each<[string, Forgery]>([
    ['with the nonce of another sign-in', { claims: { nonce: 'another' } }],
    ['without a nonce', { claims: { nonce: undefined } }],
    ['of another issuer', { claims: { iss: 'https://accounts.example' } }],
    ['for another client', { claims: { aud: 'another' } }],
    ['for several clients, of which none is named', { claims: { aud: ['gateway', 'another'] } }],
    ['that has expired', { claims: { exp: now - hour } }],
    ['that is not valid yet', { claims: { nbf: now + hour } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with a signature by an unknown key', { by: 'another key' }],
    ['without a signature', { by: 'nobody' }],
    ['with a signature by the secret of the client', { by: 'secret of the client' }],
    ['with a signature by the public key as an HMAC secret', { by: 'public key as a secret' }],
  ])('the authorization server refuses a sign-in when the upstream sends an ID token %s', async (_, forgery) => {
    liar.forgery = forgery;
    expect(await outcome()).toMatch(/^(?:access_denied|502)$/);
  });

  test('the authorization server refuses the answer of an upstream that names another issuer', async () => {
    liar.forgery = { answer: { iss: 'https://accounts.example' } };
    expect(await outcome()).toMatch(/^(?:access_denied|502)$/);
  });

  test('the authorization server sends a browser to no address that an upstream adds to its answer', async () => {
    liar.forgery = { answer: { redirect_uri: 'https://evil.example', lintel_forwarded: 'https://evil.example' } };
    const end = await visitor.visit();
    expect(end.url.href).toContain(CALLBACK);
  });
});

test('the authorization server compares secrets by digests of equal length, so the duration reveals nothing about them', () => {
  const digest = digestSecret('the secret');
  for (const wrong of ['', 'the secre', 'the secret ', digest, 'x'.repeat(100_000)])
    expect(isSecret(wrong, digest)).toBe(false);
  expect([isSecret('the secret', digest), isSecret('', ''), isSecret('the secret', 'short')]).toEqual([
    true,
    false,
    false,
  ]);
});
