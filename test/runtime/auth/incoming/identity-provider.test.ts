/** The tests' identity provider behaves like real ones; otherwise the tests next to this one would prove little. */
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../../../support/identity-provider.ts';

let idp: IdentityProvider;
beforeAll(async () => {
  idp = await startIdentityProvider();
});
afterAll(() => idp.close());

async function post(url: string, params: Record<string, string>) {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ client_id: idp.client.id, client_secret: idp.client.secret, ...params }),
  });
  return { status: response.status, body: (await response.json()) as { access_token: string } };
}

test('the identity provider of the tests publishes the keys that verify the tokens it issues', async () => {
  const document = await (await fetch(idp.discoveryUrl)).json();
  expect(document).toMatchObject({
    issuer: idp.issuer,
    jwks_uri: idp.jwksUrl,
    token_endpoint: idp.tokenUrl,
    introspection_endpoint: idp.introspectionUrl,
  });
  const token = await idp.issue({ claims: { sub: 'alice', groups: ['dev'] }, scope: 'mcp unknown' });
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(idp.jwksUrl)));
  expect(payload).toMatchObject({ iss: idp.issuer, aud: 'gateway', sub: 'alice', groups: ['dev'], scope: 'mcp' });
  expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt', alg: 'RS256' });
});

test('the identity provider of the tests introspects opaque tokens until they are revoked', async () => {
  const token = await idp.issue({ format: 'opaque', claims: { sub: 'alice' }, scope: 'mcp' });
  const active = await post(idp.introspectionUrl, { token });
  expect(active.body).toMatchObject({ active: true, sub: 'alice', iss: idp.issuer, aud: 'gateway', scope: 'mcp' });
  await idp.revoke(token);
  expect((await post(idp.introspectionUrl, { token })).body).toEqual({ active: false });
});

test.each([
  ['subject_token', { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' }],
  ['assertion', { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }],
])(
  'the identity provider of the tests exchanges a token in the parameter %s for a token of another audience',
  async (parameter, params) => {
    const subject = await idp.issue({ claims: { sub: 'alice', groups: ['dev'] } });
    const { status, body } = await post(idp.tokenUrl, { ...params, [parameter]: subject, audience: 'backend' });
    expect(status).toBe(200);
    expect(decodeJwt(body.access_token)).toMatchObject({ sub: 'alice', groups: ['dev'], aud: 'backend' });
    const forged = await post(idp.tokenUrl, {
      ...params,
      [parameter]: `${subject.slice(0, -4)}AAAA`,
      audience: 'backend',
    });
    expect(forged).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  },
);
