/** Fields of `authServerConfig` about an upstream, from the spec to what the gateway sends. FIELDS.md names the test of each field. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listeningLog } from '../../support/log-lines.ts';
import { callerStatus, RawOAuthClient } from './client.ts';
import { type IssuingGateway, issuingPort } from './issuing-gateway.ts';
import type { RecordingUpstream } from './recording-upstream.ts';
import { specifiedPlan } from './specified-issuer.ts';
import {
  codeAndPlace,
  type Fields,
  issuedClaims,
  oauth2,
  oidc,
  rawJSON,
  SECRET,
  SOME_UPSTREAM,
  serverWithUpstream,
} from './specified-upstream.ts';
import { startToolBackend } from './tool-backend.ts';

const COMPANY = 'https://company.example.com';

describe('an upstream of OpenID Connect', () => {
  test('the authorization endpoint of an OpenID Connect upstream gets the client id, scopes and extra parameters, and the token endpoint the secret', async () => {
    const { gateway, upstream } = await oidc(() => ({
      scopes: ['openid', 'groups'],
      additionalAuthorizationParams: { access_type: 'offline', hd: 'example.com' },
    }));
    await issuedClaims(gateway);
    expect(upstream.authorization()).toMatchObject({
      client_id: 'gw',
      scope: 'openid groups',
      access_type: 'offline',
      hd: 'example.com',
      redirect_uri: `${gateway.origin}/oauth/callback`,
    });
    const [request] = upstream.requests('/token');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toMatchObject({
      client_id: 'gw',
      client_secret: SECRET,
    });
  });

  test('the authorization server finds an OpenID Connect upstream at the issuer URL of the spec', async () => {
    const { gateway, upstream } = await oidc();
    await issuedClaims(gateway);
    expect(upstream.requests('/.well-known/openid-configuration')).toHaveLength(1);
    const { plan } = specifiedPlan(gateway.origin, SOME_UPSTREAM);
    expect(plan?.upstreams).toMatchObject([{ type: 'oidc', issuer: COMPANY }]);
  });

  test('the authorization server identifies users of an OpenID Connect upstream by the subjectClaim of the spec', async () => {
    const { gateway, upstream } = await oidc(() => ({ subjectClaim: 'oid' }));
    const signIn = async (claims: Fields) => {
      upstream.claims = claims;
      return (await issuedClaims(gateway)).sub;
    };
    const alice = await signIn({ sub: 'pairwise-1', oid: '4711' });
    expect(await signIn({ sub: 'pairwise-2', oid: '4711' }), 'the same person').toBe(alice);
    expect(await signIn({ sub: 'pairwise-1', oid: '4712' }), 'another person').not.toBe(alice);
  });

  test('the authorization server distinguishes people of an OpenID Connect upstream whose numeric ids exceed the precision of a double', async () => {
    const { gateway, upstream } = await oidc(() => ({ subjectClaim: 'uid' }));
    const signIn = async (digits: string) => {
      upstream.claims = { uid: rawJSON(digits) };
      return (await issuedClaims(gateway)).sub;
    };
    const first = await signIn('9007199254740992');
    expect(await signIn('9007199254740992'), 'the same person').toBe(first);
    expect(await signIn('9007199254740993'), 'another person').not.toBe(first);
  });

  test('an OpenID Connect upstream gets the userinfo request at the URL and with the method of the spec', async () => {
    const { gateway, upstream } = await oidc(() => ({
      userInfoOverride: {
        endpointUrl: `${COMPANY}/me`,
        httpMethod: 'POST',
        additionalHeaders: { 'X-Api-Version': '2' },
        fieldMapping: {
          subjectFields: ['missing', 'uid'],
          nameFields: ['missing', 'display'],
          emailFields: ['mails.0'],
        },
      },
    }));
    upstream.user = { uid: 'alice', display: 'Alice of the company', mails: ['alice@company.example'] };
    expect(await issuedClaims(gateway)).toMatchObject({ name: 'Alice of the company', email: 'alice@company.example' });
    const [request] = upstream.requests('/me');
    expect([request?.method, request?.headers['x-api-version']]).toEqual(['POST', '2']);
    upstream.user = { uid: 'bob' };
    const page = await (await RawOAuthClient.registered(gateway)).visit();
    expect(page.status, 'OpenID Connect Core 1.0, section 5.3.2: it must be about the same subject').toBe(502);
  });
});

describe('an upstream of plain OAuth 2', () => {
  test('an OAuth 2 upstream gets the client id, client secret, scopes and additional parameters that the spec sets', async () => {
    const { gateway, upstream } = await oauth2(() => ({
      scopes: ['repo', 'read:org'],
      additionalAuthorizationParams: { allow_signup: 'false' },
    }));
    await issuedClaims(gateway);
    expect(upstream.authorization()).toMatchObject({
      client_id: 'gw',
      scope: 'repo read:org',
      allow_signup: 'false',
      redirect_uri: `${gateway.origin}/oauth/callback`,
    });
    const [request] = upstream.requests('/token');
    const basic = Buffer.from(request?.headers.authorization?.slice('Basic '.length) ?? '', 'base64').toString();
    expect(decodeURIComponent(basic.replaceAll('+', ' '))).toBe(`gw:${SECRET}`);
  });

  test.each<['oidc' | 'oauth2']>([['oidc'], ['oauth2']])(
    'an upstream of type %s sends people back to the redirectUri of the spec',
    async type => {
      const port = await issuingPort();
      const fields = () => ({ redirectUri: `http://127.0.0.1:${port}/from/upstream` });
      const { gateway, upstream } = type === 'oidc' ? await oidc(fields, { port }) : await oauth2(fields, { port });
      await issuedClaims(gateway);
      expect(upstream.authorization().redirect_uri).toBe(`${gateway.origin}/from/upstream`);
    },
  );

  test('the authorization server identifies a person at the userinfo endpoint of the spec, by the fields that the spec names', async () => {
    const { gateway, upstream } = await oauth2(({ origin }) => ({
      userInfo: {
        endpointUrl: `${origin}/me`,
        httpMethod: 'POST',
        additionalHeaders: { 'X-Api-Version': '2022-11-28' },
        fieldMapping: {
          subjectFields: ['missing', 'id'],
          nameFields: ['nick', 'login'],
          emailFields: ['primary.mail'],
        },
      },
    }));
    upstream.user = { id: 4711, nick: '', login: 'alice', primary: { mail: 'alice@forge.example' } };
    const alice = await issuedClaims(gateway);
    expect(alice).toMatchObject({ name: 'alice', email: 'alice@forge.example' });
    const [request] = upstream.requests('/me');
    expect([request?.method, request?.headers['x-api-version']]).toEqual(['POST', '2022-11-28']);
    upstream.user = { id: 4712, login: 'alice' };
    expect((await issuedClaims(gateway)).sub).not.toBe(alice.sub);
  });

  test('the authorization server reads the identity of a person from the token response of an OAuth 2 upstream, at the paths of the spec', async () => {
    const { gateway, upstream } = await oauth2(() => ({
      identityFromToken: {
        subjectPath: 'id_token|@upstreamjwt|oid',
        namePath: 'authed_user.names.0',
        emailPath: 'authed_user.email',
      },
    }));
    upstream.claims = { oid: 'U1' };
    upstream.tokens = { authed_user: { names: ['Alice'], email: 'alice@chat.example' } };
    const alice = await issuedClaims(gateway);
    expect(alice).toMatchObject({ name: 'Alice', email: 'alice@chat.example' });
    expect((await issuedClaims(gateway)).sub).toBe(alice.sub);
    upstream.claims = { oid: 'U2' };
    expect((await issuedClaims(gateway)).sub).not.toBe(alice.sub);
  });

  test.each<
    [
      where: string,
      fields: (upstream: RecordingUpstream) => Fields,
      answer: (id: unknown) => Partial<RecordingUpstream>,
    ]
  >([
    [
      'its token response',
      () => ({ identityFromToken: { subjectPath: 'user.id' } }),
      id => ({ tokens: { user: { id } } }),
    ],
    [
      'an ID token',
      () => ({ identityFromToken: { subjectPath: 'id_token|@upstreamjwt|uid' } }),
      id => ({ claims: { uid: id } }),
    ],
    [
      'its userinfo endpoint',
      ({ origin }) => ({ userInfo: { endpointUrl: `${origin}/me`, fieldMapping: { subjectFields: ['id'] } } }),
      id => ({ user: { id } }),
    ],
  ])(
    'the authorization server distinguishes people of an OAuth 2 upstream whose ids in %s exceed the precision of a double',
    async (_where, fields, answer) => {
      const { gateway, upstream } = await oauth2(fields);
      const subject = async (digits: string) => {
        Object.assign(upstream, answer(rawJSON(digits)));
        return (await issuedClaims(gateway)).sub;
      };
      const first = await subject('9007199254740992');
      expect(await subject('9007199254740992'), 'the same person').toBe(first);
      expect(await subject('9007199254740993'), 'another person').not.toBe(first);
    },
  );

  test('each sign-in at an OAuth 2 upstream gives another subject when the spec names neither userinfo nor identityFromToken', async () => {
    const { gateway } = await oauth2();
    const [first, second] = [await issuedClaims(gateway), await issuedClaims(gateway)];
    expect(first.sub).toMatch(/^tk-[0-9a-f]{32}$/);
    expect(second.sub).not.toBe(first.sub);
    expect(first).not.toHaveProperty('name');
  });

  test('the authorization server finds the fields in the token response of an OAuth 2 upstream at the paths of tokenResponseMapping', async () => {
    const { log, lines } = listeningLog();
    const sent: (string | undefined)[] = [];
    const backend = await startToolBackend(['act'], headers => sent.push(headers.authorization));
    onTestFinished(() => backend.close());
    const { gateway, upstream } = await oauth2(
      () => ({
        scopes: ['chat:write', 'users:read'],
        identityFromToken: { subjectPath: 'user' },
        tokenResponseMapping: {
          accessTokenPath: 'data.token',
          refreshTokenPath: 'data.again',
          expiresInPath: 'data.ttl',
          scopePath: 'data.scopes',
        },
      }),
      { log, backend: `${backend.origin}/mcp`, auth: { type: 'upstream_inject', provider: 'forge' } },
    );
    // It expires within the time by which tokens are renewed early.
    const data = { token: 'first', again: 'renew me', ttl: 20, scopes: ['users:read'] };
    upstream.tokens = { user: 'U1', access_token: undefined, expires_in: undefined, data };
    const token = (await (await RawOAuthClient.registered(gateway)).signIn()).access_token;
    upstream.tokens = { user: 'U1', access_token: undefined, data: { ...data, token: 'second', ttl: 3600 } };
    expect(await callerStatus(gateway, token)).toBe(200);
    await callTool(gateway, token);
    expect(new URLSearchParams(upstream.requests('/token').at(-1)?.body).get('refresh_token')).toBe('renew me');
    expect(sent.at(-1)).toBe('Bearer second');
    expect(lines.filter(({ msg }) => /fewer scopes/.test(String(msg)))).toEqual([
      expect.objectContaining({ level: 'warn', upstream: 'forge', scopes: ['chat:write'] }),
    ]);
  });

  test.each<[string, unknown]>([
    ['all requested scopes', 'users:read chat:write'],
    ['the requested scopes with commas', 'chat:write,users:read'],
    ['scopes that it does not name', undefined],
  ])('the log has no warning when an OAuth 2 upstream grants %s', async (_, scope) => {
    const { log, lines } = listeningLog();
    const { gateway, upstream } = await oauth2(() => ({ scopes: ['chat:write', 'users:read'] }), { log });
    upstream.tokens = { scope };
    await issuedClaims(gateway);
    expect(lines.filter(({ msg }) => /fewer scopes/.test(String(msg)))).toEqual([]);
  });

  test('an OAuth 2 upstream at a private address is an error of the build, and not contacted, unless the spec allows it', async () => {
    const { upstream, gateway } = await oauth2(undefined, { upstream: plan => ({ ...plan, addresses: 'public' }) });
    expect((await (await RawOAuthClient.registered(gateway)).visit()).status).toBe(502);
    expect(upstream.requests('/token')).toEqual([]);
    const found = (fields: Fields) =>
      specifiedPlan(gateway.origin, serverWithUpstream(upstream, { allowPrivateIPs: false, ...fields })).found.map(
        codeAndPlace,
      );
    expect(found({})).toEqual(['LNT6010 upstreamProviders/0/oauth2Config/tokenEndpoint']);
    expect(found({ allowPrivateIPs: true })).toEqual([]);
  });

  test('an OAuth 2 upstream with plain http on a host other than loopback is an error of the build unless the spec allows it', async () => {
    const [{ upstream, gateway }, elsewhere] = [await oauth2(), { origin: 'http://forge.example.com' }];
    const found = (at: { readonly origin: string }, fields: Fields) =>
      specifiedPlan(gateway.origin, serverWithUpstream(at, fields)).found.map(codeAndPlace);
    const at = (field: string) => `LNT4004 upstreamProviders/0/oauth2Config/${field}`;
    expect(found(elsewhere, { insecureAllowHTTP: false })).toEqual([at('authorizationEndpoint'), at('tokenEndpoint')]);
    expect(found(elsewhere, { insecureAllowHTTP: true })).toEqual([]);
    expect(found(upstream, { insecureAllowHTTP: false })).toEqual([]);
    const here = await oauth2(() => ({ insecureAllowHTTP: false }));
    await issuedClaims(here.gateway);
  });
});

async function callTool({ url }: IssuingGateway, token: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  await client.callTool({ name: 'tell_act', arguments: {} });
  await client.close();
}
