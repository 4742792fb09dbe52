/** Unusual requests that some clients send: duplicate parameters, other modes, other methods, other headers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listeningLog } from '../../support/log-lines.ts';
import { type Answer, CALLBACK, RawOAuthClient } from './client.ts';
import { type IssuingGateway, issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { oauth2Plan, startOAuth2Upstream, type TestUpstream } from './upstreams.ts';

let gateway: IssuingGateway;
let forge: TestUpstream;
let client: RawOAuthClient;
const { log, lines } = listeningLog();
beforeAll(async () => {
  const port = await issuingPort();
  forge = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
  gateway = await startIssuingGateway({ port, log, upstreams: at => [oauth2Plan('forge', forge, at)] });
  client = await RawOAuthClient.registered(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await forge.close();
});

const EVIL = 'https://evil.example';

/** What the client receives, or the status and title of the page at which the browser ends. */
async function endOf(url: string): Promise<string> {
  const page = await client.browser.open(url, CALLBACK);
  const { url: end, status, text } = asks(page.text) ? await client.browser.submit(page, 'allow', CALLBACK) : page;
  if (status !== 0) return `${status} ${/<h1>(.*?)<\/h1>/.exec(text)?.[1]}`;
  return end.searchParams.get('error') ?? (end.searchParams.has('code') && end.hash === '' ? 'a code' : end.href);
}

const asks = (text: string) => text.includes('<form method="post"');

const INVALID_PAGE = '400 This sign-in cannot go on';

describe('an authorization request', () => {
  test.each<[string, Record<string, string | undefined>, cause: string]>([
    ['without a client', { client_id: undefined }, 'missing required parameter &#39;client_id&#39;'],
    ['of an unknown client', { client_id: 'nope' }, 'its registration has expired'],
    ['with another redirect URI', { redirect_uri: `${EVIL}/callback` }, 'is not the one that it registered'],
  ])(
    'an authorization request %s ends on an error page that names the cause, and the log names the client id that was sent',
    async (_, changes, cause) => {
      const before = lines.length;
      const { text } = await client.browser.open(client.authorizationUrl(changes), CALLBACK);
      expect(text).toContain(cause);
      const known = new URL(client.authorizationUrl(changes)).searchParams;
      expect(lines.slice(before)).toEqual([
        expect.objectContaining({
          msg: 'a sign-in ended on an error page',
          ...(known.has('client_id') && { client: known.get('client_id') }),
          redirectUri: known.get('redirect_uri'),
        }),
      ]);
    },
  );

  test.each<[string, string]>([
    ['client_id', INVALID_PAGE],
    ['redirect_uri', INVALID_PAGE],
    ['response_type', 'invalid_request'],
    ['state', 'invalid_request'],
    ['scope', 'invalid_request'],
    ['code_challenge', 'invalid_request'],
    ['code_challenge_method', 'invalid_request'],
    ['resource', 'invalid_target'],
  ])('the authorization server refuses an authorization request with %s twice', async (name, end) => {
    const known = { scope: 'openid', resource: gateway.origin };
    const url = client.authorizationUrl(known);
    const first = new URL(url).searchParams.get(name) ?? '';
    for (const again of [first, EVIL])
      expect([again, await endOf(`${url}&${new URLSearchParams({ [name]: again })}`)]).toEqual([again, end]);
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['the address of a request object', { request_uri: `${EVIL}/request` }, 'request_uri_not_supported'],
    ['a registration parameter', { registration: '{}' }, 'registration_not_supported'],
    ['response_mode=form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['response_mode=fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['response_mode=web_message', { response_mode: 'web_message' }, 'unsupported_response_mode'],
    ['response_mode=query', { response_mode: 'query' }, 'a code'],
    ['no state', { state: undefined }, 'a code'],
    ['an empty scope', { scope: '' }, 'a code'],
    ['a scope that its client does not have', { scope: 'repo' }, 'invalid_scope'],
    ['a PKCE challenge without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a PKCE challenge that is too short', { code_challenge: 'a'.repeat(42) }, 'invalid_request'],
    ['prompt=none consent', { prompt: 'none consent' }, 'invalid_request'],
    ['names of JavaScript object members as parameters', { __proto__: 'x', constructor: 'x', toString: 'x' }, 'a code'],
    ['the client id __proto__', { client_id: '__proto__' }, '400 This application is not known here'],
  ])(
    'an authorization request with %s ends with a code or the error that the OAuth standards require',
    async (_, more, end) => {
      expect(await endOf(client.authorizationUrl(more))).toBe(end);
    },
  );
});

describe('a token request', () => {
  const form = async () =>
    new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client.id,
      code: await client.code(),
      redirect_uri: CALLBACK,
      code_verifier: client.verifier,
    }).toString();

  async function post(body: string, headers: Record<string, string> = {}, query = ''): Promise<Answer> {
    const answer = await fetch(`${gateway.issuer}/oauth/token${query}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
  }

  test('the authorization server refuses a token request with any parameter twice', async () => {
    const body = await form();
    for (const name of new URLSearchParams(body).keys()) {
      const { status, body: answer } = await post(`${body}&${name}=x`);
      expect([name, status, answer.error]).toEqual([name, 400, 'invalid_request']);
    }
    expect((await post(`${body}&resource=${gateway.origin}&resource=${EVIL}`)).body.error).toBe('invalid_target');
  });

  test.each<[string, (verifier: string) => string, string]>([
    ['one character too short', () => 'a'.repeat(42), 'invalid_request'],
    ['one character too long', () => 'a'.repeat(129), 'invalid_request'],
    ['empty', () => '', 'invalid_grant'],
    ['followed by a space', verifier => `${verifier} `, 'invalid_request'],
    ['followed by a NUL character', verifier => `${verifier}\0`, 'invalid_request'],
    ['of another challenge', verifier => verifier.replace(/.$/, last => (last === 'A' ? 'B' : 'A')), 'invalid_grant'],
  ])('the authorization server refuses a token request whose PKCE verifier is %s', async (_, change, error) => {
    expect((await client.redeem(await client.code(), { code_verifier: change(client.verifier) })).body.error).toBe(
      error,
    );
  });

  test.each([
    'client_credentials',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    '__proto__',
  ])('the authorization server refuses a token request for the grant %s', async grant_type => {
    expect((await client.token({ grant_type })).body.error).toBe('unsupported_grant_type');
  });

  test('the authorization server refuses a token request with its parameters in the URL or as JSON', async () => {
    const body = await form();
    expect((await post('', {}, `?${body}`)).status).toBe(400);
    const json = JSON.stringify(Object.fromEntries(new URLSearchParams(body)));
    expect((await post(json, { 'content-type': 'application/json' })).status).toBe(400);
    expect((await post(body)).status).toBe(200);
  });

  test('the authorization server answers a token request with JSON, also if its Accept header asks for another type', async () => {
    for (const accept of ['text/html', 'text/html, image/gif, */*; q=.2', 'text/plain']) {
      const { status, headers, body } = await post('grant_type=refresh_token&client_id=x&refresh_token=y', { accept });
      expect([accept, status, headers.get('content-type'), body.error]).toEqual([
        accept,
        401,
        'application/json; charset=utf-8',
        'invalid_client',
      ]);
    }
  });

  test('the authorization server refuses a token request that authenticates as two clients', async () => {
    const basic = `Basic ${Buffer.from('another:secret').toString('base64')}`;
    expect((await post(await form(), { authorization: basic })).status).toBe(400);
    const own = `Basic ${Buffer.from(`${client.id}:secret`).toString('base64')}`;
    const { status, headers } = await post(await form(), { authorization: own });
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Basic /)]);
  });

  test('a refresh token stays valid after a token request that fails', async () => {
    const { refresh_token: token } = await client.signIn();
    for (const more of [{ scope: 'repo' }, { resource: EVIL }, { resource: `${gateway.origin}#part` }])
      expect((await client.refresh(token, more)).status).toBe(400);
    for (let count = 0; count < 3; count++)
      expect((await client.refresh(token, { resource: EVIL })).body.error).toBe('invalid_target');
    expect((await client.refresh(token)).status).toBe(200);
  });

  test('the resource in an authorization or token request may have a slash at the end or not', async () => {
    for (const [asked, then] of [
      [undefined, `${gateway.origin}/`],
      [`${gateway.origin}/`, gateway.origin],
    ] as const) {
      const { status, body } = await client.redeem(await client.code({ resource: asked }), { resource: then });
      expect(status).toBe(200);
      const again = await client.refresh(String(body.refresh_token), { resource: asked ?? gateway.origin });
      expect(again.status).toBe(200);
    }
  });
});

describe('other HTTP methods', () => {
  const ask = (method: string, path: string, headers = {}) => fetch(`${gateway.origin}${path}`, { method, headers });
  const DOCUMENTS = [
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/openid-configuration/a',
  ];

  test.each(DOCUMENTS)('the authorization server answers HEAD %s like GET, without the body', async path => {
    const [head, get] = [await ask('HEAD', path), await ask('GET', path)];
    const shown = ({ status, headers }: Response) => [
      status,
      ...['content-type', 'content-length', 'cache-control', 'access-control-allow-origin'].map(name =>
        headers.get(name),
      ),
    ];
    expect(shown(head)).toEqual(shown(get));
    expect(await head.text()).toBe('');
  });

  test.each<[string, string, string]>([
    ['PUT', '/.well-known/jwks.json', 'GET, HEAD, OPTIONS'],
    ['POST', '/.well-known/oauth-authorization-server/a', 'GET, HEAD, OPTIONS'],
    ['GET', '/oauth/token', 'POST, OPTIONS'],
    ['DELETE', '/oauth/register', 'POST, OPTIONS'],
  ])('the authorization server answers %s %s with 405 and the allowed methods', async (method, path, allow) => {
    const answer = await ask(method, path);
    expect([answer.status, answer.headers.get('allow'), await answer.json()]).toEqual([
      405,
      allow,
      { error: 'invalid_request', error_description: `the methods here are ${allow}` },
    ]);
  });

  test.each<[string, string, string]>([
    ['POST', '/oauth/authorize', 'GET'],
    ['POST', '/oauth/callback', 'GET'],
    ['PUT', '/oauth/sign-in/a', 'GET, POST'],
    ['POST', '/oauth/authorize/a', 'GET'],
  ])(
    'the authorization server answers %s %s with an error page in HTML, because a browser sends such requests',
    async (method, path, allow) => {
      const answer = await ask(method, path);
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await answer.text()).toContain('start the sign-in again');
    },
  );

  test.each(['/oauth/token', '/oauth/register', ...DOCUMENTS])(
    'pages of any origin may read answers of the authorization server at %s',
    async path => {
      const method = path.startsWith('/oauth') ? 'POST' : 'GET';
      const origin = 'https://app.example';
      const before = await ask('OPTIONS', path, {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type, mcp-protocol-version',
      });
      expect([before.status, before.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(before.headers.get('access-control-allow-methods')).toContain(method);
      expect(before.headers.get('access-control-allow-headers')).toMatch(/content-type.*mcp-protocol-version/);
      const after = await ask(method, path, { origin });
      expect(after.headers.get('access-control-allow-origin')).toBe('*');
      // With cookies this is not allowed.
      expect(after.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  test('pages of another origin may not read answers of the authorization server at /oauth/authorize', async () => {
    const answer = await ask('OPTIONS', '/oauth/authorize', { origin: EVIL, 'access-control-request-method': 'GET' });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});
