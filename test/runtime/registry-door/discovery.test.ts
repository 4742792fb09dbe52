/** A registry server meets the requirements for discovery, the challenge and responses to unauthenticated callers. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  AUDIENCE,
  bearer,
  introspecting,
  startDoor,
  startTrustedProvider,
  type TrustedProvider,
  twoRegistries,
} from './served-door.ts';

const PATH = '/.well-known/oauth-protected-resource';
const LISTING = '/registry/main/v0.1/servers';

let corp: TrustedProvider;
beforeAll(async () => {
  corp = await startTrustedProvider();
});
afterAll(() => corp.close());

const withResource = (resourceUrl: string, more = '') =>
  twoRegistries(corp.yaml()).replace('https://registry.example', resourceUrl).replace('  oauth:', `  oauth:${more}`);

describe('the discovery document', () => {
  test('the metadata of the protected resource has exactly four fields, among them authorization_servers', async () => {
    const { send } = await startDoor(
      twoRegistries([corp.yaml(), corp.yaml({ name: 'again', audience: 'x' })].join('\n')),
    );
    const reply = await send(PATH);
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(reply.text)).toEqual({
      resource: AUDIENCE,
      authorization_servers: [corp.idp.issuer],
      bearer_methods_supported: ['header'],
      resource_documentation: `${AUDIENCE}/openapi.json`,
    });
  });

  test.each([
    ['https://h.example', [PATH], 'https://h.example'],
    ['https://h.example/', [PATH], 'https://h.example'],
    ['https://h.example/a/b', [`${PATH}/a/b`, PATH], 'https://h.example'],
    ['https://h.example/a/', [`${PATH}/a/`, PATH], 'https://h.example'],
  ])(
    'the metadata of the resource %s are at the path of RFC 9728, section 3.1, and challenges link to them',
    async (resource, paths, origin) => {
      const { send } = await startDoor(withResource(resource));
      for (const path of paths) {
        const reply = await send(path);
        expect([reply.status, JSON.parse(reply.text).resource]).toEqual([200, resource]);
      }
      const challenge = (await send(LISTING)).headers['www-authenticate'];
      expect(challenge).toContain(`resource_metadata="${origin}${paths[0]}"`);
    },
  );

  test('pages of any site can read the metadata of the protected resource', async () => {
    const { send } = await startDoor(twoRegistries(corp.yaml()));
    expect((await send(PATH, {}, 'OPTIONS')).headers['access-control-allow-origin']).toBe('*');
    expect((await send(PATH, { Origin: 'https://page.example' })).headers['access-control-allow-origin']).toBe('*');
  });
});

test('a registry server on loopback accepts the host of its public URL in the Host header, as a proxy sends it, and refuses other hosts', async () => {
  const { send } = await startDoor(withResource('https://h.example'));
  const statusFor = async (Host: string) => (await send('/openapi.json', { Host })).status;
  expect([await statusFor('h.example'), await statusFor('rebound.example')]).toEqual([200, 403]);
});

describe('the challenge', () => {
  const METADATA = `resource_metadata="${AUDIENCE}${PATH}"`;
  const challenged = (description: string, error = 'invalid_token') => ({
    text: description,
    challenge: `Bearer realm="mcp-registry", error="${error}", error_description="${description}", ${METADATA}`,
  });

  test.each<[string, () => Promise<string | undefined>, { text: string; challenge: string }]>([
    [
      'no token',
      async () => undefined,
      {
        text: 'a bearer token is needed in the Authorization header',
        challenge: `Bearer realm="mcp-registry", ${METADATA}`,
      },
    ],
    [
      'a malformed header',
      async () => 'Bearer "x"',
      challenged('the token has characters that a token cannot have', 'invalid_request'),
    ],
    ['an unknown token', async () => 'Bearer x', challenged('the token is not a JWT')],
    [
      'another issuer',
      async () => `Bearer ${await corp.token({ claims: { iss: 'x' } })}`,
      challenged('the token is from another issuer'),
    ],
    [
      'another audience',
      async () => `Bearer ${await corp.token({ audience: 'x' })}`,
      challenged('the token is for another audience'),
    ],
    [
      'an expired token',
      async () => `Bearer ${await corp.token({ claims: { exp: 1 } })}`,
      challenged('the token has expired'),
    ],
    [
      'a failed signature',
      async () => `Bearer ${(await corp.token()).replace(/[^.]{20}$/, 'A'.repeat(20))}`,
      challenged('the signature of the token is wrong'),
    ],
  ])('a request gets 401 with a link to the metadata: %s', async (_name, header, { text, challenge }) => {
    const { send } = await startDoor(twoRegistries(corp.yaml()));
    const authorization = await header();
    const reply = await send(LISTING, authorization === undefined ? {} : { Authorization: authorization });
    expect(reply).toMatchObject({
      status: 401,
      headers: {
        'www-authenticate': challenge,
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(JSON.parse(reply.text)).toEqual({ error: text });
  });

  test('a request with a token that fails introspection gets 401 with a challenge', async () => {
    const { send } = await startDoor(twoRegistries(corp.yaml(introspecting(corp))));
    expect(await send(LISTING, bearer('unknown'))).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': challenged('the token is not active').challenge },
    });
  });

  test('the challenge of the registry server has the configured realm', async () => {
    const { send } = await startDoor(withResource(AUDIENCE, '\n    realm: our realm, of two'));
    expect((await send(LISTING)).headers['www-authenticate']).toBe(`Bearer realm="our realm, of two", ${METADATA}`);
  });
});

describe('an unavailable provider', () => {
  test('a request with a token of an unavailable provider gets 503 and a challenge without an error, and the log has the cause', async () => {
    const own = await startTrustedProvider('away');
    onTestFinished(() => own.close());
    const token = await own.token();
    await own.idp.goAway();
    const { send, lines } = await startDoor(twoRegistries(own.yaml()));
    const reply = await send(LISTING, bearer(token));
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect(reply.headers['www-authenticate']).toMatch(/^Bearer realm="mcp-registry"(?!.*error)/);
    expect(JSON.parse(reply.text)).toEqual({ error: 'the identity provider cannot be queried about the token now' });
    const cause = expect.stringContaining('(ECONNREFUSED)');
    expect(lines).toMatchObject([
      { level: 'warn', provider: 'away', cause },
      { level: 'warn', msg: 'a token was refused', tried: [{ provider: 'away', cause }] },
    ]);
    await own.idp.comeBack();
  });

  test('an unavailable provider affects neither public routes, nor callers without a token, nor tokens of other issuers', async () => {
    const own = await startTrustedProvider('away');
    onTestFinished(() => own.close());
    await own.idp.goAway();
    const { send } = await startDoor(twoRegistries([own.yaml(), corp.yaml()].join('\n')));
    expect((await send('/registry/open/v0.1/servers')).status).toBe(200);
    expect((await send(LISTING)).status).toBe(401);
    expect((await send(LISTING, bearer(await corp.token()))).status).toBe(200);
    await own.idp.comeBack();
  });
});
