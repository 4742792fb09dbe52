/** The strategies that fetch tokens, at a third-party identity provider (oidc-provider), which itself checks clients, grants and tokens. */
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { OboPlan, TokenExchangePlan } from '../../../../schemas/index.ts';
import { type IdentityProvider, startIdentityProvider } from '../../../support/identity-provider.ts';
import { Bench, CALL, createCaller, refusal, secret } from './harness.ts';

const bench = new Bench();
let provider: IdentityProvider;
beforeAll(async () => {
  provider = await startIdentityProvider();
});
afterEach(() => bench.close());
afterAll(() => provider.close());

const client = () => {
  bench.secrets.set('IDP_SECRET', provider.client.secret);
  return { id: provider.client.id, secret: secret('IDP_SECRET') };
};

const exchange = (): TokenExchangePlan => ({
  type: 'token_exchange',
  tokenUrl: provider.tokenUrl,
  client: client(),
  audience: 'jira',
  resource: null,
  scopes: ['tools'],
  subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token',
  subject: { type: 'caller' },
});

const obo = (): OboPlan => ({
  type: 'obo',
  tokenUrl: provider.tokenUrl,
  client: client(),
  audience: null,
  scopes: ['tools'],
  subject: { type: 'caller' },
  cacheSkewSeconds: 0,
});

async function claimsOf(headers: readonly string[]) {
  const token = headers[1]?.replace('Bearer ', '') ?? '';
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(provider.jwksUrl)), {
    issuer: provider.issuer,
  });
  return payload;
}

describe.each([
  ['token_exchange', exchange, 'jira'],
  ['obo', obo, 'gateway'],
])('%s', (_, plan, audience) => {
  test('a real provider exchanges the token of a caller for a token that names the caller and has the backend as audience', async () => {
    const token = await provider.issue({ claims: { sub: 'alice', groups: ['staff'] } });
    const headers = await (await bench.credential(plan(), createCaller({ token }))).getHeaders(CALL);
    expect(headers[1]).not.toBe(`Bearer ${token}`);
    expect(await claimsOf(headers)).toMatchObject({
      sub: 'alice',
      groups: ['staff'],
      aud: audience,
      scope: 'tools',
      act: { sub: provider.client.id },
    });
  });

  test('the error of a token exchange says that a caller with a revoked token must log in again', async () => {
    const token = await provider.issue({ format: 'opaque', claims: { sub: 'alice' } });
    await provider.revoke(token);
    const error = await refusal(async () => (await bench.credential(plan(), createCaller({ token }))).getHeaders(CALL));
    expect(error).toMatchObject({ fault: 'caller', message: expect.stringContaining('(invalid_grant); log in again') });
    expect(error.message).not.toContain(token);
  });

  test('the error of a token exchange with a wrong client secret blames the gateway, and not the caller', async () => {
    const token = await provider.issue();
    const credential = await bench.credential(plan(), createCaller({ token }));
    bench.secrets.set('IDP_SECRET', 'not the secret');
    const error = await refusal(() => credential.getHeaders(CALL));
    expect(error).toMatchObject({ fault: 'gateway', message: expect.stringContaining('(invalid_client)') });
    bench.secrets.set('IDP_SECRET', provider.client.secret);
    expect(await claimsOf(await credential.getHeaders(CALL))).toMatchObject({ aud: audience });
  });
});

test('for requests of its own, the gateway gets a token from a real provider that names the client of the gateway', async () => {
  const auth = await bench.auth({ ...exchange(), resource: 'urn:test:resource', audience: null });
  const headers = (await auth.own?.getHeaders(CALL)) ?? [];
  expect(await claimsOf(headers)).toMatchObject({ client_id: provider.client.id });
});
