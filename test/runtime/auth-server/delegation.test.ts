/** Tokens without a sign-in: clients that act for users (RFC 8693), and assertions of other issuers (RFC 7523). */
import { createHmac } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt, decodeProtectedHeader, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TrustedIssuerPlan } from '#schemas';
import { cedarPlan } from '../authorization/plans.ts';
import { type BareIssuer, startBareIssuer } from './bare-issuer.ts';
import { type Answer, RawOAuthClient, type Tokens } from './client.ts';
import { issuingPort, startIssuingGateway } from './issuing-gateway.ts';
import { startToolBackend } from './tool-backend.ts';
import { startTrustedIssuer, type TestIssuer } from './trusted-issuer.ts';
import { oauth2Plan, startOAuth2Upstream } from './upstreams.ts';

const SECRET = 'the secret of the agent: with a colon, and a space';
const SECRET_VARIABLE = 'LINTEL_TEST_DELEGATE_SECRET';
vi.stubEnv(SECRET_VARIABLE, SECRET);

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const OTHER_AUDIENCE = 'https://other.example.com';
const NO_ACTORS = { actorClaim: 'azp', actors: [], actorMatcher: null, allowsMayAct: false };

let foreign: TestIssuer;
let issuer: BareIssuer;
let audience: string;
/** The tokens of a user who has signed in with an ordinary client. */
let tokens: Tokens;

async function start(trusted: Partial<TrustedIssuerPlan>): Promise<BareIssuer> {
  const secret = { env: SECRET_VARIABLE, file: null };
  return startBareIssuer({
    plan: origin => ({
      delegateClients: [
        { id: 'agent', secret, scopes: ['openid', 'profile', 'email'], audiences: [origin, OTHER_AUDIENCE] },
        { id: 'narrow', secret, scopes: ['repo'], audiences: [origin] },
      ],
      trustedIssuers: [foreign.plan(trusted)],
    }),
  });
}

async function startForTest(trusted: Partial<TrustedIssuerPlan>): Promise<BareIssuer> {
  const started = await start(trusted);
  onTestFinished(() => started.close());
  return started;
}

beforeAll(async () => {
  foreign = await startTrustedIssuer();
  issuer = await start({
    exchange: { audience: 'lintel', clients: ['agent'], ...NO_ACTORS },
    assertions: {
      maxAgeSeconds: 60,
      audiences: ['https://mcp.example.com'],
      subjects: [
        { subject: 'planner', resources: ['https://a.example.com', 'https://b.example.com/'] },
        { subject: 'one resource', resources: [OTHER_AUDIENCE] },
      ],
    },
  });
  audience = issuer.issuer;
  tokens = await (await RawOAuthClient.registered(issuer)).signIn();
});
afterAll(async () => {
  await issuer.close();
  await foreign.close();
});

async function post(
  form: Record<string, string | string[]>,
  headers: Record<string, string> = {},
  at: { readonly issuer: string } = issuer,
) {
  const body = new URLSearchParams();
  for (const [name, values] of Object.entries(form)) for (const value of [values].flat()) body.append(name, value);
  const answer = await fetch(`${at.issuer}/oauth/token`, { method: 'POST', body, headers });
  return { status: answer.status, body: await answer.json(), headers: answer.headers } as Answer;
}

const encoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');
const basic = (id: string, secret = SECRET) => ({
  authorization: `Basic ${Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')}`,
});

function exchange(form: Record<string, string | string[]>, client = 'agent', at = issuer): Promise<Answer> {
  const all = { grant_type: EXCHANGE, subject_token_type: ACCESS_TOKEN, audience: at.issuer, ...form };
  return post(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')), basic(client), at);
}

const claimsOf = ({ status, body }: Answer) => {
  expect(status, JSON.stringify(body)).toBe(200);
  return decodeJwt(String(body.access_token));
};

describe('a client that acts for a person', () => {
  test('a client that acts for a person gets a token with its own client id, the subject of the person and no later expiry', async () => {
    const answer = await exchange({ subject_token: tokens.access_token });
    const theirs = decodeJwt(tokens.access_token);
    const claims = claimsOf(answer);
    expect(decodeProtectedHeader(String(answer.body.access_token))).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(claims).toMatchObject({
      iss: issuer.issuer,
      sub: theirs.sub,
      aud: [audience],
      client_id: 'agent',
      act: { sub: 'agent' },
      scope: 'openid profile email',
      name: theirs.name,
      tsid: theirs.tsid,
    });
    expect(claims.exp).toBeLessThanOrEqual(theirs.exp ?? 0);
    expect(answer.body).toMatchObject({ issued_token_type: ACCESS_TOKEN, token_type: 'Bearer' });
    expect(answer.body).not.toHaveProperty('refresh_token');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('the token for another audience that a client exchanges for the token of a person does not contain the id of the sign-in', async () => {
    const claims = claimsOf(await exchange({ subject_token: tokens.access_token, audience: OTHER_AUDIENCE }));
    expect(claims).toMatchObject({ aud: [OTHER_AUDIENCE], act: { sub: 'agent' } });
    expect(claims).not.toHaveProperty('tsid');
  });

  test('each token exchange adds the client to the chain of actors in the token, and a token with five actors cannot be exchanged', async () => {
    let token = tokens.access_token;
    for (let round = 1; round <= 5; round++)
      token = String((await exchange({ subject_token: token })).body.access_token);
    let depth = 0;
    for (let act = decodeJwt(token).act as { act?: object } | undefined; act !== undefined; act = act.act) depth++;
    expect(depth).toBe(5);
    expect(await exchange({ subject_token: token })).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test.each<[string, Record<string, string | string[]>, string]>([
    ['without a subject token', { subject_token: '' }, 'invalid_request'],
    ['for an ID token', { subject_token_type: 'urn:ietf:params:oauth:token-type:id_token' }, 'invalid_request'],
    [
      'for a refresh token in return',
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'invalid_request',
    ],
    ['with an actor token', { actor_token: 'x' }, 'invalid_request'],
    ['for an unknown audience', { audience: 'https://evil.example' }, 'invalid_target'],
    ['for an unknown and a known audience', { audience: ['https://a.example', OTHER_AUDIENCE] }, 'invalid_target'],
    ['with an empty audience', { audience: '' }, 'invalid_target'],
    ['with a scope that the client does not have', { scope: 'openid repo' }, 'invalid_scope'],
    ['with the scope offline_access', { scope: 'offline_access' }, 'invalid_scope'],
    ['with a subject token that is no JWT', { subject_token: 'opaque' }, 'invalid_grant'],
    ['with a subject token that is too long', { subject_token: 'x'.repeat(17_000) }, 'invalid_request'],
  ])('the authorization server refuses a token exchange: %s', async (_, form, error) => {
    expect((await exchange({ subject_token: tokens.access_token, ...form })).body.error).toBe(error);
  });

  test('a client that acts for a person gets no scope that the person has not granted', async () => {
    const only = await RawOAuthClient.registered(issuer, { scope: 'openid' });
    const { body } = await only.redeem(await only.code());
    const answer = await exchange({ subject_token: String(body.access_token) });
    expect(claimsOf(answer).scope).toBe('openid');
    const asked = await exchange({ subject_token: String(body.access_token), scope: 'email' });
    expect(asked.body.error).toBe('invalid_scope');
  });

  test.each<[string, (token: string) => string | Promise<string>]>([
    ['with another signature', token => `${token.slice(0, -8)}AAAAAAAA`],
    ['without a signature', token => new UnsecuredJWT(decodeJwt(token)).encode()],
    [
      'that is signed by the public key as an HMAC secret',
      async token => {
        const keys = await (await fetch(`${issuer.issuer}/.well-known/jwks.json`)).text();
        const head = Buffer.from(JSON.stringify({ ...decodeProtectedHeader(token), alg: 'HS256' })).toString(
          'base64url',
        );
        const signed = `${head}.${token.split('.')[1]}`;
        return `${signed}.${createHmac('sha256', keys).update(signed).digest('base64url')}`;
      },
    ],
    [
      'that is signed by a key in its own header',
      token => foreign.sign({ ...decodeJwt(token) }, { jwk: { kty: 'oct', k: 'AA' } }),
    ],
    ['of an unknown issuer', () => foreign.sign({ iss: 'https://evil.example', aud: 'lintel' })],
    ['of this server that a trusted issuer has signed', token => foreign.sign(decodeJwt(token))],
  ])('the authorization server refuses a token exchange for a token %s', async (_, forge) => {
    const answer = await exchange({ subject_token: await forge(tokens.access_token) });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test.each<[string, Record<string, string>]>([
    ['a wrong secret', basic('agent', 'no')],
    ['no secret', {}],
    ['an unknown id', basic('nobody')],
  ])('the authorization server refuses a token exchange request with %s of the client', async (_, headers) => {
    const form = { grant_type: EXCHANGE, subject_token: tokens.access_token, subject_token_type: ACCESS_TOKEN };
    const { body } = await post({ ...form, ...('authorization' in headers ? {} : { client_id: 'agent' }) }, headers);
    expect(body.error).toBe('invalid_client');
  });

  test('a client that exchanges the token of a person may send its client secret in the body of the request', async () => {
    const form = { grant_type: EXCHANGE, subject_token: tokens.access_token, subject_token_type: ACCESS_TOKEN };
    const { status } = await post({ ...form, audience, client_id: 'agent', client_secret: SECRET });
    expect(status).toBe(200);
  });

  test('a client that may exchange tokens cannot start a sign-in in a browser, and a client that has registered cannot exchange tokens', async () => {
    const client = new RawOAuthClient(issuer);
    client.id = 'agent';
    expect((await client.visit()).url.origin).toBe(issuer.issuer);
    const usual = await RawOAuthClient.registered(issuer);
    const form = { grant_type: EXCHANGE, subject_token: tokens.access_token, subject_token_type: ACCESS_TOKEN };
    expect((await usual.token(form)).status).toBe(400);
  });

  test('a client can no longer act for a person when the sign-in of the person has ended', async () => {
    const client = await RawOAuthClient.registered(issuer);
    const { access_token: token, refresh_token: first } = await client.signIn();
    expect((await exchange({ subject_token: token })).status).toBe(200);
    const { body } = await client.refresh(first);
    await client.refresh(String(body.refresh_token));
    // Used twice after the grace period: the token family is revoked.
    for (let time = 0; time < 3; time++) await client.refresh(first);
    expect((await exchange({ subject_token: token })).body.error).toBe('invalid_grant');
  });
});

describe('a token of an issuer that the operator trusts', () => {
  test('the authorization server exchanges a token of a trusted issuer for a token whose subject is no user of the gateway', async () => {
    const sign = (sub: string) => foreign.sign({ sub, aud: ['x', 'lintel'], name: 'Someone', groups: ['admins'] });
    const claims = claimsOf(await exchange({ subject_token: await sign('someone') }));
    expect(claims).toMatchObject({ name: 'Someone', act: { sub: 'agent' }, scope: 'openid profile email' });
    // Further claims of the issuer are not copied.
    expect(claims).not.toHaveProperty('groups');
    expect(claims).not.toHaveProperty('tsid');
    expect(claimsOf(await exchange({ subject_token: await sign('someone') })).sub).toBe(claims.sub);
    const { sub } = decodeJwt(tokens.access_token);
    expect(claimsOf(await exchange({ subject_token: await sign(String(sub)) })).sub).not.toBe(sub);
  });

  test.each<[string, Record<string, unknown>, object?]>([
    ['for another audience', { aud: 'other' }],
    ['without an audience', {}],
    ['that has expired', { aud: 'lintel', exp: Math.floor(Date.now() / 1000) - 60 }],
    ['that does not expire', { aud: 'lintel', exp: undefined }],
    ['that was issued in the future', { aud: 'lintel', iat: Math.floor(Date.now() / 1000) + 120 }],
    ['that is not valid yet', { aud: 'lintel', nbf: Math.floor(Date.now() / 1000) + 120 }],
    ['without a subject', { aud: 'lintel', sub: undefined }],
    ['that is bound to a key', { aud: 'lintel', cnf: { jkt: 'x' } }],
    ['that is a logout token', { aud: 'lintel' }, { typ: 'logout+jwt' }],
    ['with too many actors', { aud: 'lintel', act: { act: { act: { act: { act: {} } } } } }],
  ])(
    'the authorization server refuses a token exchange for a token of a trusted issuer %s',
    async (_, claims, header) => {
      const answer = await exchange({ subject_token: await foreign.sign(claims, header) });
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    },
  );

  test('the authorization server accepts a token of a trusted issuer whose clock is half a minute ahead', async () => {
    const now = Math.floor(Date.now() / 1000);
    const token = await foreign.sign({ aud: 'lintel', iat: now + 20, nbf: now + 20 });
    expect((await exchange({ subject_token: token })).status).toBe(200);
  });

  test('only clients that the operator names can exchange a token of a trusted issuer', async () => {
    const token = await foreign.sign({ aud: 'lintel' });
    expect((await exchange({ subject_token: token }, 'narrow')).body.error).toBe('invalid_grant');
    const open = await startForTest({ exchange: { audience: 'lintel', clients: ['*'], ...NO_ACTORS } });
    expect((await exchange({ subject_token: token }, 'narrow', open)).status).toBe(200);
  });

  test('of the act claim in a token of a trusted issuer, the authorization server copies only sub and iss of each actor', async () => {
    const act = {
      sub: 'first',
      iss: 'https://i.example',
      more: 'x'.repeat(1000),
      act: { sub: 'second', scope: 'all' },
    };
    const claims = claimsOf(await exchange({ subject_token: await foreign.sign({ aud: 'lintel', act }) }));
    expect(claims.act).toEqual({
      sub: 'agent',
      act: { sub: 'first', iss: 'https://i.example', act: { sub: 'second' } },
    });
  });

  test('the authorization server fetches the keys of a trusted issuer once, and refuses tokens while the issuer is unavailable', async () => {
    const before = foreign.fetches();
    const fresh = await startForTest({ exchange: { audience: 'lintel', clients: ['*'], ...NO_ACTORS } });
    const token = await foreign.sign({ aud: 'lintel' });
    foreign.answers = false;
    expect((await exchange({ subject_token: token }, 'agent', fresh)).body.error).toBe('temporarily_unavailable');
    foreign.answers = true;
    for (let time = 0; time < 3; time++)
      expect((await exchange({ subject_token: token }, 'agent', fresh)).status).toBe(200);
    expect(foreign.fetches() - before).toBe(1);
  });

  describe('the client that a token of a trusted issuer was issued to', () => {
    const exchangeOf = (actors: Partial<NonNullable<TrustedIssuerPlan['exchange']>>) => ({
      exchange: { audience: 'lintel', clients: ['agent', 'narrow'], ...NO_ACTORS, ...actors },
    });

    test.each<[string, Parameters<typeof exchangeOf>[0], Record<string, unknown>, number]>([
      ['azp on the list', { actors: ['app'] }, { azp: 'app' }, 200],
      ['azp that is not on the list', { actors: ['app'] }, { azp: 'other' }, 400],
      ['no azp', { actors: ['app'] }, {}, 400],
      ['azp that is a list', { actors: ['app'] }, { azp: ['app'] }, 400],
      ['the claim that actorClaim names', { actorClaim: 'appid', actors: ['app'] }, { appid: 'app' }, 200],
      ['an actorMatcher that is true', { actorMatcher: 'claims.azp.startsWith("app")' }, { azp: 'app-1' }, 200],
      ['an actorMatcher that is false', { actorMatcher: 'claims.azp.startsWith("app")' }, { azp: 'x' }, 400],
      ['an actorMatcher that fails', { actorMatcher: 'claims.azp.startsWith("app")' }, {}, 400],
      ['an actorMatcher with a syntax error', { actorMatcher: '((' }, { azp: 'app' }, 400],
      [
        'azp on the list with an actorMatcher that is true',
        { actors: ['a'], actorMatcher: 'claims.x == 1' },
        { azp: 'a', x: 2 },
        400,
      ],
      [
        'may_act of this client, which the plan allows',
        { actors: ['app'], allowsMayAct: true },
        { azp: 'x', may_act: { sub: 'agent' } },
        200,
      ],
      [
        'may_act of another client, which the plan allows',
        { allowsMayAct: true },
        { azp: 'x', may_act: { sub: 'narrow' } },
        400,
      ],
      [
        'may_act of this client, which the plan does not allow',
        { actors: ['app'] },
        { azp: 'x', may_act: { sub: 'agent' } },
        400,
      ],
      ['no may_act, which the plan allows', { allowsMayAct: true }, { azp: 'x' }, 400],
    ])(
      'the authorization server exchanges a token of a trusted issuer only for clients that the plan or may_act allows: %s',
      async (_, actors, claims, status) => {
        const at = await startForTest(exchangeOf(actors));
        const token = await foreign.sign({ aud: 'lintel', ...claims });
        expect((await exchange({ subject_token: token }, 'agent', at)).status).toBe(status);
      },
    );
  });
});

describe('an assertion (RFC 7523)', () => {
  let count = 0;
  const assertion = (claims: Record<string, unknown> = {}, header?: object) =>
    foreign.sign({ sub: 'planner', aud: issuer.issuer, jti: `id ${++count}`, ...claims }, header);
  const trade = (text: string, more: Record<string, string | string[]> = {}, headers?: Record<string, string>) =>
    post({ grant_type: BEARER, assertion: text, resource: 'https://a.example.com', ...more }, headers);

  test('the authorization server exchanges an assertion for an access token with the subject of the assertion as client id', async () => {
    const answer = await trade(await assertion(), { scope: 'email repo' });
    expect(claimsOf(answer)).toMatchObject({
      iss: issuer.issuer,
      aud: ['https://a.example.com'],
      client_id: 'planner',
      scope: 'email repo',
      sub: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-8/),
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).not.toHaveProperty('refresh_token');
  });

  test('the authorization server accepts an assertion once, also when it arrives several times at the same moment', async () => {
    const text = await assertion();
    const answers = await Promise.all([trade(text), trade(text), trade(text)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect((await trade(text)).body).toEqual({
      error: 'invalid_grant',
      error_description: 'the assertion was used already',
    });
  });

  test.each([
    ['the token endpoint', () => `${issuer.issuer}/oauth/token`],
    ['a URL that the operator names', () => 'https://mcp.example.com'],
    ['a list with the issuer', () => ['x', issuer.issuer]],
  ])('the authorization server accepts an assertion whose audience is %s', async (_, aud) => {
    expect((await trade(await assertion({ aud: aud() }))).status).toBe(200);
  });

  test.each<[string, Record<string, unknown>, object?]>([
    ['for another audience', { aud: 'https://other.example' }],
    ['without an audience', { aud: undefined }],
    ['of a subject that the operator does not name', { sub: 'stranger' }],
    ['of a subject that begins with a named subject', { sub: 'planner2' }],
    ['that is too old', { iat: Math.floor(Date.now() / 1000) - 120 }],
    ['without iat', { iat: undefined }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 60 }],
    ['without jti', { jti: undefined }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['that is an access token', {}, { typ: 'at+jwt' }],
  ])('the authorization server refuses an assertion %s', async (_, claims, header) => {
    expect(await trade(await assertion(claims, header))).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test.each<[string, Record<string, string | string[]>, string, Record<string, string>?]>([
    ['for a resource that the subject may not have', { resource: OTHER_AUDIENCE }, 'invalid_target'],
    ['for two resources', { resource: ['https://a.example.com', 'https://b.example.com'] }, 'invalid_target'],
    ['with an unknown scope', { scope: 'root' }, 'invalid_scope'],
    ['for a refresh token', { scope: 'offline_access' }, 'invalid_scope'],
    ['with the credentials of a client', {}, 'invalid_request', basic('agent')],
    ['with a client_secret', { client_secret: SECRET }, 'invalid_request'],
    ['with a parameter twice', { scope: ['email', 'repo'] }, 'invalid_request'],
  ])('the authorization server refuses a request to exchange an assertion: %s', async (_, more, error, headers) => {
    expect((await trade(await assertion(), more, headers)).body.error).toBe(error);
  });

  test('an assertion whose request names no resource gets a token if its subject may have one resource, and an error if it may have two', async () => {
    const form = async (sub: string) => ({ grant_type: BEARER, assertion: await assertion({ sub }) });
    expect(claimsOf(await post(await form('one resource'))).aud).toEqual([OTHER_AUDIENCE]);
    expect((await post(await form('planner'))).body.error).toBe('invalid_target');
  });

  test('when the assertion grant is enabled, refresh tokens work and oversized token requests get 413', async () => {
    const client = await RawOAuthClient.registered(issuer);
    const { refresh_token: token } = await client.signIn();
    expect((await client.refresh(token)).status).toBe(200);
    const huge = await post({ grant_type: BEARER, assertion: 'x'.repeat(70 * 1024) });
    expect(huge.status).toBe(413);
  });

  test('the metadata of the authorization server names the grants for token exchange and for assertions', async () => {
    const metadata = await (await fetch(`${issuer.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      grant_types_supported: ['authorization_code', 'refresh_token', EXCHANGE, BEARER],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    });
  });
});

describe('at the gateway', () => {
  test('a client that acts for a person sees the tools of the person; the subject of an assertion sees no tools that no policy permits', async () => {
    const port = await issuingPort();
    const upstream = await startOAuth2Upstream(`http://127.0.0.1:${port}/oauth/callback`);
    upstream.claims = { groups: ['staff'] };
    const backend = await startToolBackend(['act']);
    const origin = `http://127.0.0.1:${port}`;
    const secret = { env: SECRET_VARIABLE, file: null };
    const gateway = await startIssuingGateway({
      port,
      backend: `${backend.origin}/mcp`,
      upstreams: at => [oauth2Plan('forge', upstream, at)],
      authorization: cedarPlan(['permit(principal in Group::"staff", action, resource);'], {
        primaryUpstream: 'forge',
      }),
      plan: {
        delegateClients: [{ id: 'agent', secret, scopes: ['openid'], audiences: [origin] }],
        trustedIssuers: [
          foreign.plan({
            assertions: { maxAgeSeconds: 60, audiences: [], subjects: [{ subject: 'planner', resources: [origin] }] },
          }),
        ],
      },
    });
    onTestFinished(async () => {
      await gateway.stop();
      await Promise.all([backend.close(), upstream.close()]);
    });
    const toolsWith = async (token: unknown) => {
      const client = new Client({ name: 'test', version: '1' });
      const requestInit = { headers: { authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit }));
      const { tools } = await client.listTools();
      await client.close();
      return tools.length;
    };
    const person = await (await RawOAuthClient.registered(gateway)).signIn();
    expect(await toolsWith(person.access_token)).toBe(1);
    const form = { grant_type: EXCHANGE, subject_token: person.access_token, subject_token_type: ACCESS_TOKEN };
    const acting = await post(form, basic('agent'), gateway);
    expect(await toolsWith(acting.body.access_token)).toBe(1);
    const assertion = await foreign.sign({ sub: 'planner', aud: gateway.issuer, jti: 'at the gateway' });
    const workload = await post({ grant_type: BEARER, assertion }, {}, gateway);
    expect(await toolsWith(workload.body.access_token)).toBe(0);
  });
});
