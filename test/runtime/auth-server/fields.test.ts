/**
 * Fields of `authServerConfig` from the spec to what an upstream is sent, a client gets and a log says. FIELDS.md names the test of each
 * field; those of the other files change the plan instead of the spec.
 */

import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, describe, expect, test } from 'vitest';
import type { UpstreamPlan } from '#schemas';
import { listeningLog } from '../../support/log-lines.ts';
import { CALLBACK, callerStatus, RawOAuthClient } from './client.ts';
import { type IssuingGateway, issuingPort } from './issuing-gateway.ts';
import { type RecordingUpstream, startRecordingUpstream } from './recording-upstream.ts';
import { type SpecifiedOptions, specifiedPlan, startSpecifiedIssuer } from './specified-issuer.ts';
import { startToolBackend } from './tool-backend.ts';
import { startTrustedIssuer } from './trusted-issuer.ts';

const SECRET = 'the secret of the gateway';
process.env.LINTEL_UPSTREAM_CLIENT_SECRET_COMPANY = SECRET;
process.env.LINTEL_UPSTREAM_CLIENT_SECRET_FORGE = SECRET;

const opened: { close?(): Promise<unknown>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await (one.close?.() ?? one.stop?.());
});

const ORIGIN = 'http://127.0.0.1:4483';

const COMPANY = 'https://company.example.com';

const SOME_UPSTREAM = {
  upstreamProviders: [{ name: 'company', type: 'oidc', oidcConfig: { issuerUrl: COMPANY, clientId: 'gw' } }],
};

const codeAndPlace = (finding: string) => finding.replace(/:.*/, '');

type Fields = Readonly<Record<string, unknown>>;

/** Writes a number in JSON as it is given, which TypeScript's library does not know yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

interface Started {
  readonly gateway: IssuingGateway;
  readonly upstream: RecordingUpstream;
}

async function started(options: (upstream: RecordingUpstream) => SpecifiedOptions): Promise<Started> {
  const upstream = await startRecordingUpstream();
  opened.push(upstream);
  const gateway = await startSpecifiedIssuer(options(upstream));
  opened.push(gateway);
  return { gateway, upstream };
}

const atOrigin = (plan: UpstreamPlan, origin: string): UpstreamPlan =>
  JSON.parse(JSON.stringify(plan).replaceAll(COMPANY, origin));

/** An OpenID provider is at https by the spec, and at plain HTTP in the test. */
const oidc = (fields: (upstream: RecordingUpstream) => Fields = () => ({}), more: Partial<SpecifiedOptions> = {}) =>
  started(upstream => ({
    ...more,
    server: {
      upstreamProviders: [
        {
          name: 'company',
          type: 'oidc',
          oidcConfig: {
            issuerUrl: COMPANY,
            clientId: 'gw',
            clientSecretRef: { name: 'company', key: 'secret' },
            ...fields(upstream),
          },
        },
      ],
      ...more.server,
    },
    upstream: plan => ({ ...atOrigin(plan, upstream.origin), allowsHttp: true }),
  }));

const oauth2Fields = ({ origin }: Pick<RecordingUpstream, 'origin'>, fields: Fields = {}): Fields => ({
  authorizationEndpoint: `${origin}/authorize`,
  tokenEndpoint: `${origin}/token`,
  clientId: 'gw',
  clientSecretRef: { name: 'forge', key: 'secret' },
  insecureAllowHTTP: true,
  allowPrivateIPs: true,
  ...fields,
});

const serverOf = (upstream: Pick<RecordingUpstream, 'origin'>, fields: Fields = {}) => ({
  upstreamProviders: [{ name: 'forge', type: 'oauth2', oauth2Config: oauth2Fields(upstream, fields) }],
});

const oauth2 = (fields: (upstream: RecordingUpstream) => Fields = () => ({}), more: Partial<SpecifiedOptions> = {}) =>
  started(upstream => ({
    ...more,
    server: { ...serverOf(upstream, fields(upstream)), ...more.server },
  }));

/** Claims of the token that a client gets for a person who signs in. */
async function claimsOf(gateway: IssuingGateway) {
  const client = await RawOAuthClient.registered(gateway);
  return decodeJwt((await client.signIn()).access_token);
}

describe('an upstream of OpenID Connect', () => {
  test('gets the client, the scopes and the further parameters of the spec, and the secret at its token endpoint', async () => {
    const { gateway, upstream } = await oidc(() => ({
      scopes: ['openid', 'groups'],
      additionalAuthorizationParams: { access_type: 'offline', hd: 'example.com' },
    }));
    await claimsOf(gateway);
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

  test('is found at the issuer URL of the spec', async () => {
    const { gateway, upstream } = await oidc();
    await claimsOf(gateway);
    expect(upstream.requests('/.well-known/openid-configuration')).toHaveLength(1);
    const { plan } = specifiedPlan(gateway.origin, SOME_UPSTREAM);
    expect(plan?.upstreams).toMatchObject([{ type: 'oidc', issuer: COMPANY }]);
  });

  test('knows people by the subject claim of the spec', async () => {
    const { gateway, upstream } = await oidc(() => ({ subjectClaim: 'oid' }));
    const signIn = async (claims: Fields) => {
      upstream.claims = claims;
      return (await claimsOf(gateway)).sub;
    };
    const alice = await signIn({ sub: 'pairwise-1', oid: '4711' });
    expect(await signIn({ sub: 'pairwise-2', oid: '4711' }), 'the same person').toBe(alice);
    expect(await signIn({ sub: 'pairwise-1', oid: '4712' }), 'another person').not.toBe(alice);
  });

  test('that names people by numbers knows those apart that no double does', async () => {
    const { gateway, upstream } = await oidc(() => ({ subjectClaim: 'uid' }));
    const signIn = async (digits: string) => {
      upstream.claims = { uid: rawJSON(digits) };
      return (await claimsOf(gateway)).sub;
    };
    const first = await signIn('9007199254740992');
    expect(await signIn('9007199254740992'), 'the same person').toBe(first);
    expect(await signIn('9007199254740993'), 'another person').not.toBe(first);
  });

  test('is asked who a person is where and how the spec says', async () => {
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
    expect(await claimsOf(gateway)).toMatchObject({ name: 'Alice of the company', email: 'alice@company.example' });
    const [request] = upstream.requests('/me');
    expect([request?.method, request?.headers['x-api-version']]).toEqual(['POST', '2']);
    upstream.user = { uid: 'bob' };
    const page = await (await RawOAuthClient.registered(gateway)).visit();
    expect(page.status, 'OpenID Connect Core 1.0, section 5.3.2: it must be about the same subject').toBe(502);
  });
});

describe('an upstream of plain OAuth 2', () => {
  test('gets the client, the secret, the scopes and the further parameters of the spec at its endpoints', async () => {
    const { gateway, upstream } = await oauth2(() => ({
      scopes: ['repo', 'read:org'],
      additionalAuthorizationParams: { allow_signup: 'false' },
    }));
    await claimsOf(gateway);
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
    'of type %s sends people back where the spec says',
    async type => {
      const port = await issuingPort();
      const fields = () => ({ redirectUri: `http://127.0.0.1:${port}/from/upstream` });
      const { gateway, upstream } = type === 'oidc' ? await oidc(fields, { port }) : await oauth2(fields, { port });
      await claimsOf(gateway);
      expect(upstream.authorization().redirect_uri).toBe(`${gateway.origin}/from/upstream`);
    },
  );

  test('says who a person is at the userinfo endpoint of the spec, in the fields that the spec names', async () => {
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
    const alice = await claimsOf(gateway);
    expect(alice).toMatchObject({ name: 'alice', email: 'alice@forge.example' });
    const [request] = upstream.requests('/me');
    expect([request?.method, request?.headers['x-api-version']]).toEqual(['POST', '2022-11-28']);
    upstream.user = { id: 4712, login: 'alice' };
    expect((await claimsOf(gateway)).sub).not.toBe(alice.sub);
  });

  test('says who a person is in its token response, at the paths of the spec', async () => {
    const { gateway, upstream } = await oauth2(() => ({
      identityFromToken: {
        subjectPath: 'id_token|@upstreamjwt|oid',
        namePath: 'authed_user.names.0',
        emailPath: 'authed_user.email',
      },
    }));
    upstream.claims = { oid: 'U1' };
    upstream.tokens = { authed_user: { names: ['Alice'], email: 'alice@chat.example' } };
    const alice = await claimsOf(gateway);
    expect(alice).toMatchObject({ name: 'Alice', email: 'alice@chat.example' });
    expect((await claimsOf(gateway)).sub).toBe(alice.sub);
    upstream.claims = { oid: 'U2' };
    expect((await claimsOf(gateway)).sub).not.toBe(alice.sub);
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
  ])('that names people by numbers in %s knows those apart that no double does', async (_where, fields, answer) => {
    const { gateway, upstream } = await oauth2(fields);
    const subject = async (digits: string) => {
      Object.assign(upstream, answer(rawJSON(digits)));
      return (await claimsOf(gateway)).sub;
    };
    const first = await subject('9007199254740992');
    expect(await subject('9007199254740992'), 'the same person').toBe(first);
    expect(await subject('9007199254740993'), 'another person').not.toBe(first);
  });

  test('says nothing of a person where the spec names neither: each token is a subject of its own', async () => {
    const { gateway } = await oauth2();
    const [first, second] = [await claimsOf(gateway), await claimsOf(gateway)];
    expect(first.sub).toMatch(/^tk-[0-9a-f]{32}$/);
    expect(second.sub).not.toBe(first.sub);
    expect(first).not.toHaveProperty('name');
  });

  test('answers its own way, which the spec maps', async () => {
    const { log, lines } = listeningLog();
    const sent: (string | undefined)[] = [];
    const backend = await startToolBackend(['act'], headers => sent.push(headers.authorization));
    opened.push(backend);
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
    // It ends within the time by which tokens are renewed ahead.
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
    ['all of them', 'users:read chat:write'],
    ['them with commas', 'chat:write,users:read'],
    ['what it does not name', undefined],
  ])('that grants %s is not reported', async (_, scope) => {
    const { log, lines } = listeningLog();
    const { gateway, upstream } = await oauth2(() => ({ scopes: ['chat:write', 'users:read'] }), { log });
    upstream.tokens = { scope };
    await claimsOf(gateway);
    expect(lines.filter(({ msg }) => /fewer scopes/.test(String(msg)))).toEqual([]);
  });

  test('at a private address is an error of the build, and not contacted, unless the spec allows it', async () => {
    const { upstream, gateway } = await oauth2(undefined, { upstream: plan => ({ ...plan, addresses: 'public' }) });
    expect((await (await RawOAuthClient.registered(gateway)).visit()).status).toBe(502);
    expect(upstream.requests('/token')).toEqual([]);
    const found = (fields: Fields) =>
      specifiedPlan(gateway.origin, serverOf(upstream, { allowPrivateIPs: false, ...fields })).found.map(codeAndPlace);
    expect(found({})).toEqual(['LNT6010 upstreamProviders/0/oauth2Config/tokenEndpoint']);
    expect(found({ allowPrivateIPs: true })).toEqual([]);
  });

  test('at plain http is an error of the build unless the spec allows it, or it is this machine', async () => {
    const [{ upstream, gateway }, elsewhere] = [await oauth2(), { origin: 'http://forge.example.com' }];
    const found = (at: { readonly origin: string }, fields: Fields) =>
      specifiedPlan(gateway.origin, serverOf(at, fields)).found.map(codeAndPlace);
    const at = (field: string) => `LNT4004 upstreamProviders/0/oauth2Config/${field}`;
    expect(found(elsewhere, { insecureAllowHTTP: false })).toEqual([at('authorizationEndpoint'), at('tokenEndpoint')]);
    expect(found(elsewhere, { insecureAllowHTTP: true })).toEqual([]);
    expect(found(upstream, { insecureAllowHTTP: false })).toEqual([]);
    const here = await oauth2(() => ({ insecureAllowHTTP: false }));
    await claimsOf(here.gateway);
  });
});

describe('the server', () => {
  test('sends browsers to the base URL of the spec, and clients to the issuer', async () => {
    const port = await issuingPort();
    const { gateway } = await oauth2(undefined, {
      port,
      server: { authorizationEndpointBaseUrl: `http://localhost:${port}` },
    });
    const metadata = await (await fetch(`${gateway.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: gateway.issuer,
      authorization_endpoint: `http://localhost:${port}/oauth/authorize`,
      token_endpoint: `${gateway.issuer}/oauth/token`,
    });
    const client = await RawOAuthClient.registered(gateway);
    const { pathname, search } = new URL(client.authorizationUrl());
    const page = await client.browser.open(`http://localhost:${port}${pathname}${search}`, CALLBACK);
    const end = await client.browser.submit(page, 'allow', CALLBACK);
    expect(
      end.way
        .filter(url => url.includes('/oauth/'))
        .every(url => !url.startsWith(gateway.issuer) || url.includes('/callback')),
    ).toBe(true);
    expect((await client.redeem(end.url.searchParams.get('code') ?? '')).status).toBe(200);
  });

  test('issues tokens that live as long as the spec says', async () => {
    const { gateway } = await oauth2(undefined, {
      server: { tokenLifespans: { accessTokenLifespan: '2m', refreshTokenLifespan: '2h', authCodeLifespan: '30s' } },
    });
    const client = await RawOAuthClient.registered(gateway);
    const { body } = await client.redeem(await client.code());
    const { exp = 0, iat = 0 } = decodeJwt(String(body.access_token));
    expect([body.expires_in, exp - iat]).toEqual([120, 120]);
  });

  test('keeps codes and refresh tokens for as long as the spec says', async () => {
    const lifespans = { accessTokenSeconds: 60, refreshTokenSeconds: 1, authCodeSeconds: 1 };
    const spec = { accessTokenLifespan: '1m', refreshTokenLifespan: '1h', authCodeLifespan: '30s' };
    const { gateway, upstream } = await oauth2(undefined, { server: { tokenLifespans: spec }, plan: { lifespans } });
    expect(specifiedPlan(gateway.origin, { ...serverOf(upstream), tokenLifespans: spec }).plan?.lifespans).toEqual({
      accessTokenSeconds: 60,
      refreshTokenSeconds: 3600,
      authCodeSeconds: 30,
    });
    const client = await RawOAuthClient.registered(gateway);
    const late = await client.code();
    await sleep(2_000);
    expect((await client.redeem(late)).body.error).toBe('invalid_grant');
    const { refresh_token: token } = await client.signIn();
    await sleep(2_000);
    expect((await client.refresh(token)).body.error).toBe('invalid_grant');
  });

  test('signs with the first key of the spec, and publishes the others', async () => {
    const keys = ['ec', 'rsa'].map(type => {
      const pair =
        type === 'ec'
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('rsa', { modulusLength: 2048 });
      return pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    });
    [process.env.LINTEL_AUTH_SERVER_SIGNING_KEY_0, process.env.LINTEL_AUTH_SERVER_SIGNING_KEY_1] = keys;
    const signingKeySecretRefs = ['new', 'old'].map(key => ({ name: 'keys', key }));
    const { gateway } = await oauth2(undefined, { server: { signingKeySecretRefs } });
    const client = await RawOAuthClient.registered(gateway);
    const token = (await client.signIn()).access_token;
    expect(decodeProtectedHeader(token).alg).toBe('ES256');
    const published = await (await fetch(`${gateway.origin}/.well-known/jwks.json`)).json();
    expect((published as { keys: { alg: string }[] }).keys.map(({ alg }) => alg)).toEqual(['ES256', 'RS256']);
  });

  test('finds sentinels by the service of the spec', async () => {
    const redis = (sentinelService: object) => ({
      ...SOME_UPSTREAM,
      storage: {
        type: 'redis',
        redis: {
          sentinelConfig: { masterName: 'main', sentinelService },
          aclUserConfig: { passwordSecretRef: { name: 'redis', key: 'password' } },
        },
      },
    });
    const addresses = (service: object) => specifiedPlan(ORIGIN, redis(service)).plan?.storage?.redis.addresses;
    expect(addresses({ name: 'sentinels' })).toEqual(['sentinels.default.svc.cluster.local:26379']);
    expect(addresses({ name: 'sentinels', namespace: 'data', port: 5000 })).toEqual([
      'sentinels.data.svc.cluster.local:5000',
    ]);
  });

  test('may be plain http on another host only where the spec allows it', () => {
    const found = (insecureAllowHTTP: boolean) =>
      specifiedPlan('http://gateway.example.com', { ...SOME_UPSTREAM, insecureAllowHTTP }).found.map(codeAndPlace);
    expect(found(false)).toEqual(['LNT4004 issuer']);
    expect(found(true)).toEqual([]);
  });

  test('gives clients secrets over loopback only where the spec allows it', () => {
    const found = (insecureAllowConfidentialOverLoopbackHTTP: boolean) =>
      specifiedPlan(ORIGIN, {
        ...SOME_UPSTREAM,
        insecureAllowHTTP: false,
        allowConfidentialClientRegistration: true,
        insecureAllowConfidentialOverLoopbackHTTP,
      }).found.map(codeAndPlace);
    expect(found(false)).toEqual([expect.stringContaining('allowConfidentialClientRegistration')]);
    expect(found(true)).toEqual([]);
  });
});

describe('an issuer that the operator trusts', () => {
  const assertions = {
    maxAssertionAge: '5m',
    subjectBindings: [{ subject: 'planner', allowedResources: ['https://a.example.com'] }],
  };

  test('takes the keys of a trusted issuer from the URL of the spec', async () => {
    const foreign = await startTrustedIssuer();
    opened.push(foreign);
    const { gateway } = await oauth2(undefined, {
      server: {
        trustedIssuers: [
          {
            issuerUrl: 'https://issuer.example.com',
            jwksUrl: `${foreign.origin}/keys`,
            insecureAllowHTTP: true,
            allowPrivateIPs: true,
            jwtBearerGrant: assertions,
          },
        ],
      },
      // The spec allows private addresses, and this machine is more than that.
      trusted: { addresses: 'any' },
    });
    const assertion = await foreign.sign({
      iss: 'https://issuer.example.com',
      sub: 'planner',
      aud: gateway.issuer,
      jti: 'one',
    });
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
    const answer = await fetch(`${gateway.issuer}/oauth/token`, { method: 'POST', body });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ token_type: 'Bearer' })]);
    expect(foreign.fetches()).toBe(1);
  });

  test.each<[string, Fields, readonly string[]]>([
    ['plain http', { jwksUrl: 'http://issuer.example.com/keys' }, ['LNT4004 trustedIssuers/0/jwksUrl']],
    ['a private address', { jwksUrl: 'https://10.0.0.7/keys' }, ['LNT6010 trustedIssuers/0/jwksUrl']],
    ['plain http, allowed', { jwksUrl: 'http://issuer.example.com/keys', insecureAllowHTTP: true }, []],
    ['a private address, allowed', { jwksUrl: 'https://10.0.0.7/keys', allowPrivateIPs: true }, []],
  ])(
    'contacts a trusted issuer over plain http, or at a private address, only where the spec allows it: %s',
    (_, fields, expected) => {
      const trusted = { issuerUrl: 'https://issuer.example.com', jwtBearerGrant: assertions, ...fields };
      expect(specifiedPlan(ORIGIN, { ...SOME_UPSTREAM, trustedIssuers: [trusted] }).found.map(codeAndPlace)).toEqual(
        expected,
      );
    },
  );
});

async function callTool({ url }: IssuingGateway, token: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  await client.callTool({ name: 'tell_act', arguments: {} });
  await client.close();
}
