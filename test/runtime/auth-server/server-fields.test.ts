/**
 * Fields of `authServerConfig` about the server itself and the issuers that it trusts, from the spec to what a client gets. FIELDS.md names the
 * test of each field.
 */
import { generateKeyPairSync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CALLBACK, RawOAuthClient } from './client.ts';
import { issuingPort } from './issuing-gateway.ts';
import { specifiedPlan } from './specified-issuer.ts';
import { codeAndPlace, type Fields, ORIGIN, oauth2, SOME_UPSTREAM, serverWithUpstream } from './specified-upstream.ts';
import { startTrustedIssuer } from './trusted-issuer.ts';

describe('the server', () => {
  test('the metadata of the authorization server sends browsers to authorizationEndpointBaseUrl, and token requests to the issuer', async () => {
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

  test('the authorization server issues access tokens that live as long as accessTokenLifespan in tokenLifespans says', async () => {
    const { gateway } = await oauth2(undefined, {
      server: { tokenLifespans: { accessTokenLifespan: '2m', refreshTokenLifespan: '2h', authCodeLifespan: '30s' } },
    });
    const client = await RawOAuthClient.registered(gateway);
    const { body } = await client.redeem(await client.code());
    const { exp = 0, iat = 0 } = decodeJwt(String(body.access_token));
    expect([body.expires_in, exp - iat]).toEqual([120, 120]);
  });

  test('codes and refresh tokens of the authorization server live as long as tokenLifespans in the spec says', async () => {
    const lifespans = { accessTokenSeconds: 60, refreshTokenSeconds: 1, authCodeSeconds: 1 };
    const spec = { accessTokenLifespan: '1m', refreshTokenLifespan: '1h', authCodeLifespan: '30s' };
    const { gateway, upstream } = await oauth2(undefined, { server: { tokenLifespans: spec }, plan: { lifespans } });
    expect(
      specifiedPlan(gateway.origin, { ...serverWithUpstream(upstream), tokenLifespans: spec }).plan?.lifespans,
    ).toEqual({
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

  test('the authorization server signs with the first key of the spec, and publishes the other keys', async () => {
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

  test('the sentinelService in the spec becomes the address at which the authorization server finds the Redis sentinels', async () => {
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

  test('an issuer with plain http on a host other than loopback is an error of the build unless insecureAllowHTTP is set', () => {
    const found = (insecureAllowHTTP: boolean) =>
      specifiedPlan('http://gateway.example.com', { ...SOME_UPSTREAM, insecureAllowHTTP }).found.map(codeAndPlace);
    expect(found(false)).toEqual(['LNT4004 issuer']);
    expect(found(true)).toEqual([]);
  });

  test('client secrets over plain http on loopback are an error of the build unless insecureAllowConfidentialOverLoopbackHTTP is set', () => {
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

  test('the authorization server takes the keys of a trusted issuer from the jwksUrl of the spec', async () => {
    const foreign = await startTrustedIssuer();
    onTestFinished(() => foreign.close());
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
      // The spec allows private addresses, but not loopback.
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
    'a jwksUrl of a trusted issuer with plain http or a private address is an error of the build unless the spec allows it: %s',
    (_, fields, expected) => {
      const trusted = { issuerUrl: 'https://issuer.example.com', jwtBearerGrant: assertions, ...fields };
      expect(specifiedPlan(ORIGIN, { ...SOME_UPSTREAM, trustedIssuers: [trusted] }).found.map(codeAndPlace)).toEqual(
        expected,
      );
    },
  );
});
