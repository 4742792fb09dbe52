/** Which clients may register, and how: each rule of RFC 7591 as this server enforces it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { RegistrationRefusedError, readRegistration } from '../../../runtime/authserver/registration.ts';
import { MAX_SIGN_INS } from '../../../runtime/authserver/sign-in.ts';
import { type BareIssuer, startBareIssuer } from './bare-issuer.ts';
import { CALLBACK, RawOAuthClient } from './client.ts';

const HTTPS = 'https://app.example.com/callback';
const FORCED = 'https://app.example.com/secret';

const PLAN = {
  scopes: ['email', 'offline_access', 'openid', 'profile', 'repo'],
  registration: { baselineScopes: ['repo'], allowsSecrets: false, secretRedirectUris: [] as string[] },
};
const WITH_SECRETS = { ...PLAN.registration, allowsSecrets: true, secretRedirectUris: [FORCED] };

type Wish = Record<string, unknown>;
const read = (wish: Wish, registration = PLAN.registration) =>
  readRegistration({ redirect_uris: [HTTPS], ...wish }, { ...PLAN, registration });

function refusalOf(wish: Wish, registration = PLAN.registration): string {
  try {
    read(wish, registration);
    return 'registered';
  } catch (error) {
    if (error instanceof RegistrationRefusedError) return error.error;
    throw error;
  }
}

describe('a redirect URI', () => {
  test.each([
    [HTTPS, 'registered'],
    ['https://app.example.com:8443/a?b=c', 'registered'],
    ['http://127.0.0.1/callback', 'registered'],
    ['http://127.0.0.1:5000/callback', 'registered'],
    ['http://[::1]:5000/callback', 'registered'],
    ['http://localhost:5000/callback', 'registered'],
    ['com.example.app:/callback', 'registered'],
    ['cursor://anysphere.cursor/callback', 'registered'],
    ['http://app.example.com/callback', 'invalid_redirect_uri'],
    ['http://127.0.0.1.evil.example/callback', 'invalid_redirect_uri'],
    ['http://localhost.evil.example/callback', 'invalid_redirect_uri'],
    ['http://127.0.0.2/callback', 'invalid_redirect_uri'],
    ['http://0.0.0.0/callback', 'invalid_redirect_uri'],
    ['http://[::ffff:127.0.0.1]/callback', 'invalid_redirect_uri'],
    ['https://user@app.example.com/callback', 'invalid_redirect_uri'],
    ['https://user:pass@app.example.com/callback', 'invalid_redirect_uri'],
    ['https://app.example.com@evil.example/callback', 'invalid_redirect_uri'],
    [`${HTTPS}#part`, 'invalid_redirect_uri'],
    [`${HTTPS}#`, 'invalid_redirect_uri'],
    ['https://app.example.com/a/../callback', 'invalid_redirect_uri'],
    ['https://app.example.com/a/%2e%2e/callback', 'invalid_redirect_uri'],
    ['https://app.example.com/a/.%2E/callback', 'invalid_redirect_uri'],
    ['https://аpp.example.com/callback', 'invalid_redirect_uri'],
    ['https://app.example.com\\@evil.example/callback', 'invalid_redirect_uri'],
    ['https://app.example.com/call back', 'invalid_redirect_uri'],
    ['https://app.example.com/\r\nSet-Cookie:a=b', 'invalid_redirect_uri'],
    ['/callback', 'invalid_redirect_uri'],
    ['callback', 'invalid_redirect_uri'],
    ['', 'invalid_redirect_uri'],
    ['javascript:alert(1)', 'invalid_redirect_uri'],
    ['JavaScript:alert(1)', 'invalid_redirect_uri'],
    ['data:text/html,x', 'invalid_redirect_uri'],
    ['file:///etc/passwd', 'invalid_redirect_uri'],
    ['vbscript:x', 'invalid_redirect_uri'],
    ['blob:https://app.example.com/x', 'invalid_redirect_uri'],
    ['view-source:https://app.example.com', 'invalid_redirect_uri'],
    ['filesystem:https://app.example.com/x', 'invalid_redirect_uri'],
    ['jar:https://app.example.com/x', 'invalid_redirect_uri'],
    ['chrome://settings', 'invalid_redirect_uri'],
    ['mailto:evil@evil.example', 'invalid_redirect_uri'],
    ['tel:123', 'invalid_redirect_uri'],
    ['urn:ietf:wg:oauth:2.0:oob', 'invalid_redirect_uri'],
    ['https:app.example.com/callback', 'invalid_redirect_uri'],
    ['https:/app.example.com/callback', 'invalid_redirect_uri'],
    ['https:///app.example.com/callback', 'invalid_redirect_uri'],
    ['http:127.0.0.1/callback', 'invalid_redirect_uri'],
    ['http://127.1/callback', 'invalid_redirect_uri'],
    ['http://2130706433/callback', 'invalid_redirect_uri'],
    ['http://0x7f.1/callback', 'invalid_redirect_uri'],
    ['HTTP://LocalHost:5000/callback', 'registered'],
    [7, 'invalid_redirect_uri'],
    [null, 'invalid_redirect_uri'],
  ])('a client that registers with the redirect URI %j gets the outcome: %s', (uri, outcome) => {
    expect(refusalOf({ redirect_uris: [uri] })).toBe(outcome);
  });

  test.each<[string, unknown, string]>([
    ['ten redirect URIs', Array.from({ length: 10 }, (_, at) => `${HTTPS}/${at}`), 'registered'],
    ['eleven redirect URIs', Array.from({ length: 11 }, (_, at) => `${HTTPS}/${at}`), 'invalid_redirect_uri'],
    ['an empty list', [], 'invalid_redirect_uri'],
    ['a string in place of a list', HTTPS, 'invalid_redirect_uri'],
    ['no list', undefined, 'invalid_redirect_uri'],
    ['a redirect URI of 2,049 characters', [`https://a.example/${'a'.repeat(2031)}`], 'invalid_redirect_uri'],
    ['a valid and an invalid redirect URI', [HTTPS, 'http://evil.example'], 'invalid_redirect_uri'],
  ])('the authorization server requires one to ten redirect URIs in a registration: %s', (_, uris, outcome) => {
    expect(refusalOf({ redirect_uris: uris })).toBe(outcome);
  });
});

describe('a client', () => {
  test.each<[string, Wish, string]>([
    ['only redirect URIs', {}, 'registered'],
    ['a name of 256 characters', { client_name: 'a'.repeat(256) }, 'registered'],
    ['a name of 257 characters', { client_name: 'a'.repeat(257) }, 'invalid_client_metadata'],
    ['a name beyond ASCII', { client_name: 'Clаude' }, 'invalid_client_metadata'],
    ['a name with a line break', { client_name: 'a\nb' }, 'invalid_client_metadata'],
    ['a name that is a list', { client_name: ['a'] }, 'invalid_client_metadata'],
    ['a software_id of 257 characters', { software_id: 'a'.repeat(257) }, 'invalid_client_metadata'],
    ['a client_uri with https', { client_uri: 'https://app.example.com' }, 'registered'],
    ['a client_uri with a script', { client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
    ['the authorization code grant alone', { grant_types: ['authorization_code'] }, 'registered'],
    ['the refresh token grant alone', { grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
    ['the implicit grant', { grant_types: ['authorization_code', 'implicit'] }, 'invalid_client_metadata'],
    ['no grant', { grant_types: [] }, 'invalid_client_metadata'],
    ['grants that are a string', { grant_types: 'authorization_code' }, 'invalid_client_metadata'],
    ['the response type token', { response_types: ['token'] }, 'invalid_client_metadata'],
    ['the response types code and token', { response_types: ['code', 'token'] }, 'invalid_client_metadata'],
    ['a known scope', { scope: 'openid email' }, 'registered'],
    ['an unknown scope', { scope: 'openid root' }, 'invalid_client_metadata'],
    ['scopes that are a list', { scope: ['openid'] }, 'invalid_client_metadata'],
    ['no client authentication', { token_endpoint_auth_method: 'none' }, 'registered'],
    ['a client secret', { token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    ['private_key_jwt', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
  ])('the authorization server checks the metadata of a registering client: %s', (_, wish, outcome) => {
    expect(refusalOf(wish)).toBe(outcome);
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['a string', 'x'],
    ['null', null],
    ['missing', undefined],
  ])('the authorization server refuses a registration whose metadata is %s', (_, body) => {
    expect(() => readRegistration(body, PLAN)).toThrow(RegistrationRefusedError);
  });

  test('a registered client has the baseline scopes in addition to those it asks for, and the default scopes if it asks for none', () => {
    expect(read({ scope: 'openid' }).scope).toBe('openid repo');
    expect(read({}).scope).toBe('openid profile email offline_access repo');
  });

  test('the authorization server stores only known fields of the metadata of a client, and ignores a secret and an id among them', () => {
    expect(read({ client_name: 'A', client_secret: 'mine', client_id: 'mine', jwks_uri: 'https://x' })).toEqual({
      redirect_uris: [HTTPS],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid profile email offline_access repo',
      client_name: 'A',
    });
  });
});

describe('a client with a secret', () => {
  test.each<[string, Wish, string]>([
    [
      'client_secret_basic, which it asks for',
      { token_endpoint_auth_method: 'client_secret_basic' },
      'client_secret_basic',
    ],
    [
      'client_secret_post, which it asks for',
      { token_endpoint_auth_method: 'client_secret_post' },
      'client_secret_post',
    ],
    ['client_secret_post, which its redirect URI requires', { redirect_uris: [FORCED] }, 'client_secret_post'],
    [
      'client_secret_post, which its redirect URI requires, though it asks for none',
      { redirect_uris: [FORCED], token_endpoint_auth_method: 'none' },
      'client_secret_post',
    ],
    [
      'client_secret_post, which one of two redirect URIs requires',
      { redirect_uris: [HTTPS, FORCED] },
      'client_secret_post',
    ],
    [
      'client_secret_basic, which it asks for with a redirect URI that requires a secret',
      { redirect_uris: [FORCED], token_endpoint_auth_method: 'client_secret_basic' },
      'client_secret_basic',
    ],
    ['none, for a redirect URI that differs by a slash', { redirect_uris: [`${FORCED}/`] }, 'none'],
    ['none, when neither it nor its redirect URI asks for a secret', {}, 'none'],
  ])('the authorization server decides how a registered client authenticates: %s', (_, wish, method) => {
    expect(read(wish, WITH_SECRETS).token_endpoint_auth_method).toBe(method);
  });

  test.each([['http://127.0.0.1/callback'], ['com.example.app:/callback'], ['https://localhost/callback']])(
    'the authorization server registers no client with a secret for the redirect URI %s, which leads to a local program',
    uri => {
      const wish = { redirect_uris: [uri], token_endpoint_auth_method: 'client_secret_basic' };
      expect(refusalOf(wish, WITH_SECRETS)).toBe('invalid_redirect_uri');
    },
  );
});

describe('at the authorization server', () => {
  let issuer: BareIssuer;
  beforeAll(async () => {
    issuer = await startBareIssuer({ plan: () => ({ registration: WITH_SECRETS }) });
  });
  afterAll(() => issuer.close());

  const post = (body: string, type: string | undefined, at = issuer) =>
    fetch(`${at.issuer}/oauth/register`, {
      method: 'POST',
      body,
      headers: type === undefined ? {} : { 'content-type': type },
    });

  test('the authorization server shows a client its secret once, stores only a digest, and requires the secret in later requests', async () => {
    const client = await RawOAuthClient.registered(issuer, {
      redirect_uris: ['https://app.example.com/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    const answer = await post(JSON.stringify({ redirect_uris: [FORCED] }), 'application/json');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const { client_id: id, client_secret: secret, ...rest } = (await answer.json()) as Record<string, unknown>;
    expect(rest).toMatchObject({
      client_id_issued_at: expect.any(Number),
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(String(id)).toMatch(/^[0-9a-f-]{36}$/);
    expect(Buffer.from(String(secret), 'base64url')).toHaveLength(32);
    const stored = await issuer.server.store.get('client', String(id));
    expect(JSON.stringify(stored)).not.toContain(String(secret));
    client.id = String(id);
    const redirect_uri = FORCED;
    const code = await client.code({ redirect_uri });
    expect((await client.redeem(code, { redirect_uri })).body.error).toBe('invalid_client');
    expect((await client.redeem(code, { redirect_uri, client_secret: `${secret}x` })).body.error).toBe(
      'invalid_client',
    );
    // Not even the digest.
    const digest = String(stored?.client_secret);
    expect((await client.redeem(code, { redirect_uri, client_secret: digest })).body.error).toBe('invalid_client');
    expect((await client.redeem(code, { redirect_uri, client_secret: String(secret) })).status).toBe(200);
  });

  test.each<[string, string, string | undefined, number]>([
    ['a form', 'redirect_uris=https://app.example.com', 'application/x-www-form-urlencoded', 415],
    ['not JSON', '{', 'application/json', 400],
    ['too large', JSON.stringify({ client_name: 'x'.repeat(65 * 1024) }), 'application/json', 413],
    [
      'an object with __proto__ alone',
      '{"__proto__":{"redirect_uris":["https://a.example"]}}',
      'application/json',
      400,
    ],
  ])('the authorization server refuses a registration that is %s', async (_, body, type, status) => {
    const fresh = await startBareIssuer({});
    onTestFinished(() => fresh.close());
    const answer = await post(body, type, fresh);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      status,
      expect.stringContaining('application/json'),
    ]);
  });

  test('the authorization server limits the rate of registrations, and a signed-in person can renew a token during a flood of registrations', async () => {
    const fresh = await startBareIssuer({});
    onTestFinished(() => fresh.close());
    const client = await RawOAuthClient.registered(fresh);
    const { refresh_token: token } = await client.signIn();
    const flood = Array.from({ length: 200 }, () =>
      post(JSON.stringify({ redirect_uris: [HTTPS] }), 'application/json', fresh),
    );
    const answers = await Promise.all(flood);
    const limited = answers.filter(({ status }) => status === 429);
    // Five at once, then one each second.
    expect(answers.length - limited.length).toBeLessThan(100);
    expect(limited[0]?.headers.get('retry-after')).toBe('1');
    expect(await limited[0]?.json()).toMatchObject({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('try again in a second'),
    });
    expect((await client.refresh(token)).status).toBe(200);
  });

  test('five hundred unfinished authorization requests do not keep a signed-in person from renewing a token', async () => {
    const fresh = await startBareIssuer({});
    onTestFinished(() => fresh.close());
    const client = await RawOAuthClient.registered(fresh);
    const { refresh_token: token } = await client.signIn();
    const url = client.authorizationUrl();
    for (let round = 0; round < 20; round++)
      await Promise.all(
        Array.from({ length: 25 }, () => fetch(url, { redirect: 'manual' }).then(answer => answer.text())),
      );
    expect((await client.refresh(token)).status).toBe(200);
  });

  test('when a person exceeds the limit of sign-ins, the authorization server ends the oldest sign-in of this person', async () => {
    const fresh = await startBareIssuer({});
    onTestFinished(() => fresh.close());
    const client = await RawOAuthClient.registered(fresh);
    const first = await client.signIn();
    const second = await client.signIn();
    for (let count = 2; count < MAX_SIGN_INS; count++) await client.code();
    expect((await client.refresh(first.refresh_token)).status).toBe(200);
    await client.code();
    expect((await client.refresh(first.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.refresh(second.refresh_token)).status).toBe(200);
    fresh.upstream.person = 'bob';
    await client.code();
    expect((await client.refresh(second.refresh_token)).status).toBe(200);
  });

  test('a client on loopback may use any port in its redirect URI, but only the host name that it registered', async () => {
    const client = new RawOAuthClient(issuer);
    client.id = String(
      (
        (await (await post(JSON.stringify({ redirect_uris: [CALLBACK] }), 'application/json')).json()) as {
          client_id: string;
        }
      ).client_id,
    );
    expect((await client.visit({ redirect_uri: CALLBACK.replace('41234', '1') })).url.port).toBe('1');
    expect((await client.visit({ redirect_uri: CALLBACK.replace('127.0.0.1', 'localhost') })).url.origin).toBe(
      issuer.issuer,
    );
  });
});
