/** Identity providers, or attackers in their place, that do harm by what they publish, by their responses, or by redirects. */
import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, test } from 'vitest';
import type { TokenProviderPlan } from '#schemas';
import { createGuardedLookup } from '../../../../runtime/http/client.ts';
import { startIdentityProvider } from '../../../support/identity-provider.ts';
import { type RawHandler, sendJson, startRawServer } from '../../../support/raw-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../support/tls-fixture.ts';
import { attempt, authPlan, Gate, providerPlan } from './harness.ts';
import { goodClaims, type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

const gate = new Gate();
afterEach(() => gate.dispose());

const DISCOVERY = '/.well-known/openid-configuration';
const json =
  (document: unknown): RawHandler =>
  (_request, response) =>
    sendJson(response, typeof document === 'string' ? document : JSON.stringify(document));

/** A provider's status after it prevented a decision about a valid token. */
async function undecided(idp: ScriptedProvider, more: Partial<TokenProviderPlan> = {}): Promise<string | undefined> {
  const auth = gate.make(authPlan([providerPlan(idp, more)]), { env: { KEYS: 'sa-token' } });
  expect(await attempt(auth, await idp.sign())).toMatchObject({ status: 503, challenge: 'Bearer realm="test"' });
  expect(auth.status()[0]?.keys).toBe(0);
  return auth.status()[0]?.message;
}

describe('a key set', () => {
  const many = Array.from({ length: 10_000 }, (_, n) => ({ kty: 'EC', kid: `${n}` }));

  test.each<[string, RawHandler, string]>([
    ['of 10,000 keys', json({ keys: many }), 'the key set has more than 1000 keys'],
    ['of more than a MiB', json({ keys: [], more: 'x'.repeat(1024 * 1024) }), 'the answer has more than 1048576 bytes'],
    ['that is not JSON', json('<html>'), 'the key set is not JSON'],
    ['that is null', json('null'), 'the key set has no list of keys'],
    ['that is a list', json([]), 'the key set has no list of keys'],
    ['without keys', json({ keys: [] }), 'the key set has no RSA or EC key'],
    [
      'of keys of other kinds, or with ids that are not strings',
      json({ keys: [null, 7, { kty: 'RSA', kid: 7 }, { kty: 'EC', kid: '' }, { kty: 'oct', kid: 'a' }] }),
      'no RSA or EC key',
    ],
    ['with status 500', (_request, response) => void response.writeHead(500).end('{"keys":[]}'), 'answered HTTP 500'],
  ])('the gateway rejects a key set %s', async (_name, handler, message) => {
    const idp = await gate.keep(startScriptedProvider());
    idp.answers.set('/jwks', handler);
    expect(await undecided(idp)).toContain(message);
  });

  test('the gateway goes on using a valid key set when the provider publishes an empty key set', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const auth = gate.make(authPlan([providerPlan(idp)]));
    expect(await attempt(auth, await idp.sign())).toHaveProperty('identity');
    idp.answers.set('/jwks', json({ keys: [] }));
    expect(await attempt(auth, await idp.sign({}, { kid: 'new' }))).toMatchObject({ status: 503 });
    expect(await attempt(auth, await idp.sign({ sub: 'bob' }))).toHaveProperty('identity');
    expect(auth.status()).toMatchObject([{ keys: 2, message: expect.stringContaining('the key set has no') }]);
  });
});

describe('a discovery document', () => {
  test.each<[string, (idp: ScriptedProvider) => unknown, string]>([
    ['of another issuer', idp => ({ issuer: 'https://evil.example', jwks_uri: idp.jwksUrl }), 'is from another issuer'],
    [
      'of the issuer with a slash',
      idp => ({ issuer: `${idp.issuer}/`, jwks_uri: idp.jwksUrl }),
      'is from another issuer',
    ],
    ['without an issuer', idp => ({ jwks_uri: idp.jwksUrl }), 'is from another issuer'],
    ['that is null', () => 'null', 'is from another issuer'],
    ['that is not JSON', () => 'hello', 'is not JSON'],
    ['without jwks_uri', idp => ({ issuer: idp.issuer }), 'has no jwks_uri'],
    ['with a relative jwks_uri', idp => ({ issuer: idp.issuer, jwks_uri: '/jwks' }), 'not a URL'],
    [
      'with a file as jwks_uri',
      idp => ({ issuer: idp.issuer, jwks_uri: 'file:///etc/passwd' }),
      'only https is permitted',
    ],
    ['of more than 256 KiB', idp => ({ issuer: idp.issuer, more: 'x'.repeat(256 * 1024) }), 'more than 262144 bytes'],
  ])('the gateway rejects a discovery document %s', async (_name, document, message) => {
    const idp = await gate.keep(startScriptedProvider());
    idp.answers.set(DISCOVERY, json(document(idp)));
    expect(await undecided(idp)).toContain(message);
    expect(idp.count('/jwks')).toBe(0);
  });

  test('the gateway contacts a provider over plain http only if the plan permits plain http', async () => {
    const idp = await gate.keep(startScriptedProvider());
    expect(await undecided(idp, { allowsHttp: false })).toContain('only https is permitted');
    expect(idp.server.connections).toBe(0);
  });
});

describe('forbidden connections', () => {
  test.each([
    ['loopback', 'http://127.0.0.1:1/jwks', 'private'],
    ['a cloud metadata service', 'http://169.254.169.254/latest/meta-data', 'private'],
    ['the cluster API', 'https://kubernetes.default.svc/openid/v1/jwks', 'private'],
    ['a private address', 'http://10.0.0.1/jwks', 'public'],
    ['an IPv4-mapped IPv6 address', 'http://[::ffff:127.0.0.1]:1/jwks', 'public'],
    ['a decimal address', 'http://2130706433:1/jwks', 'public'],
    ['an octal address', 'http://0177.0.0.1:1/jwks', 'public'],
    ['a short address', 'http://127.1:1/jwks', 'public'],
    ['localhost', 'http://localhost:1/jwks', 'public'],
  ] as const)('the gateway opens no connection to fetch keys from %s', async (_name, url, addresses) => {
    const idp = await gate.keep(startScriptedProvider());
    expect(await undecided(idp, { keys: { type: 'jwks', url }, addresses })).toMatch(/is not allowed: /);
    expect(idp.server.connections).toBe(0);
  });

  test.each([
    ['another port', '/jwks', (port: number) => `http://127.0.0.1:${port}/secret`],
    ['another name', '/jwks', (port: number) => `http://localhost:${port}/secret`],
    ['another port from the discovery document', DISCOVERY, (port: number) => `http://127.0.0.1:${port}/secret`],
  ])('the gateway follows no redirect of a provider to %s', async (_name, path, location) => {
    const inner = await gate.keep(startRawServer((_request, response) => void response.end('{}')));
    const idp = await gate.keep(startScriptedProvider());
    idp.answers.set(
      path,
      (_request, response) => void response.writeHead(302, { location: location(inner.port) }).end(),
    );
    expect(await undecided(idp)).toContain('answered with a redirect that may not be followed (HTTP 302)');
    expect(inner.connections).toBe(0);
  });

  test('the gateway opens no connection to a provider whose host name resolves to a private address at a later lookup', async () => {
    const answers: LookupAddress[][] = [
      [{ address: '93.184.215.14', family: 4 }],
      [{ address: '169.254.169.254', family: 4 }],
      [
        { address: '93.184.215.14', family: 4 },
        { address: '::ffff:10.0.0.1', family: 6 },
      ],
    ];
    const resolve = ((_name: string, _options: object, done: (error: null, found?: LookupAddress[]) => void) =>
      done(null, answers.shift())) as never;
    // The guard is the connection's name resolver, so it checks the very address to which the connection goes.
    const lookup = createGuardedLookup({ addresses: 'public' }, resolve);
    const look = () => new Promise<Error | null>(done => lookup('rebind.example', { all: true }, error => done(error)));
    expect(await look()).toBeNull();
    expect((await look())?.message).toContain('rebind.example (169.254.169.254) is not allowed');
    expect((await look())?.message).toContain('rebind.example (::ffff:10.0.0.1) is not allowed');
  });
});

describe('unknown keys', () => {
  test('forty tokens with unknown key ids make the gateway fetch the keys of the provider only five times more', async () => {
    const idp = await gate.keep(startScriptedProvider());
    // The clock stands still, so that no retry becomes due.
    const at = Date.now();
    const auth = gate.make(authPlan([providerPlan(idp)]), { now: () => at });
    expect(await attempt(auth, await idp.sign())).toHaveProperty('identity');
    for (let n = 0; n < 40; n++) {
      expect(await attempt(auth, await idp.sign({}, { kid: `made-up-${n}` }))).toMatchObject({ status: 401 });
    }
    expect(idp.count('/jwks')).toBe(1 + 5);
  });

  test('tokens of a foreign issuer cause no request to the provider', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const auth = gate.make(
      authPlan([providerPlan(idp, { introspection: { url: idp.introspectionUrl, credentials: { type: 'none' } } })]),
    );
    await attempt(auth, await idp.sign());
    const before = idp.server.requests.length;
    for (let n = 0; n < 5; n++) await attempt(auth, await idp.sign({ iss: 'https://evil.example' }, { kid: `${n}` }));
    expect(idp.server.requests).toHaveLength(before);
  });
});

describe('an introspection response', () => {
  const INVALID = { status: 401, error: 'invalid_token' };
  const UNDECIDED = { status: 503 };

  async function outcome(handler: RawHandler) {
    const idp = await gate.keep(startScriptedProvider());
    idp.answers.set('/introspect', handler);
    const introspection = { url: idp.introspectionUrl, credentials: { type: 'none' } } as const;
    return attempt(
      gate.make(authPlan([providerPlan({ ...idp, issuer: 'https://idp.example' }, { introspection })])),
      'opaque',
    );
  }
  const claims = (more: object): string =>
    JSON.stringify({ active: true, ...goodClaims('https://idp.example'), ...more });
  const active = (more: object) => json(claims(more));
  const now = Math.floor(Date.now() / 1000);

  test('the gateway accepts an introspection response without an issuer', async () => {
    expect(await outcome(active({ iss: undefined }))).toMatchObject({
      identity: { caller: { issuer: 'https://idp.example', subject: 'alice' } },
    });
  });

  test.each(['Bearer', 'bearer', 'BEARER', undefined])(
    'the gateway accepts an introspection response with the token type %s',
    async type => {
      expect(await outcome(active({ token_type: type }))).toHaveProperty('identity');
    },
  );

  test('the gateway takes the client_id of an introspection response without a subject as the subject of the caller', async () => {
    expect(await outcome(active({ sub: undefined, client_id: 'batch' }))).toMatchObject({
      identity: { caller: { issuer: 'https://idp.example', subject: 'batch', claims: { sub: 'batch' } } },
    });
  });

  test.each<[string, RawHandler, object]>([
    ['that is not active', json({ active: false }), INVALID],
    ['with active as a string', active({ active: 'true' }), UNDECIDED],
    ['without active', json(goodClaims('https://idp.example')), UNDECIDED],
    ['that is a JSON list', json([]), UNDECIDED],
    ['that is not JSON', json('active'), UNDECIDED],
    ['that is huge', json({ active: true, more: 'x'.repeat(64 * 1024) }), UNDECIDED],
    ['with status 204', (_request, response) => void response.writeHead(204).end(), UNDECIDED],
    [
      'with status 401',
      (_request, response) => void response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
      UNDECIDED,
    ],
    ['of another issuer', active({ iss: 'https://idp.example/' }), INVALID],
    ['for another audience', active({ aud: ['other'] }), INVALID],
    ['without an audience', active({ aud: undefined }), INVALID],
    ['without a subject or a client', active({ sub: undefined }), INVALID],
    ['with a number as subject, and a client', active({ sub: 7, client_id: 'batch' }), INVALID],
    ['without a subject, with an empty client', active({ sub: undefined, client_id: '' }), INVALID],
    ['without a subject, with a number as client', active({ sub: undefined, client_id: 7 }), INVALID],
    ['about a token of type DPoP', active({ token_type: 'DPoP' }), INVALID],
    ['about a refresh token', active({ token_type: 'refresh_token' }), INVALID],
    ['about a token of an empty type', active({ token_type: '' }), INVALID],
    ['with an infinite expiry', json(claims({ exp: 1 }).replace('"exp":1', '"exp":1e400')), INVALID],
    ['about a token that was issued in the future', active({ iat: now + 60 }), INVALID],
    ['about an ID token', active({ nonce: 'n' }), INVALID],
    ['without an expiry', active({ exp: undefined }), INVALID],
    ['with an expiry that is a string', active({ exp: `${now + 60}` }), INVALID],
    ['about an expired token', active({ exp: now - 60 }), INVALID],
    ['about a token that is not valid yet', active({ nbf: now + 60 }), INVALID],
    ['about a token that is bound to a key', active({ cnf: { 'x5t#S256': 'x' } }), INVALID],
  ])('the gateway refuses a token after an introspection response %s', async (_name, handler, expected) => {
    expect(await outcome(handler)).toMatchObject(expected);
  });

  test('the gateway does not follow a redirect of an introspection endpoint', async () => {
    const thief = await gate.keep(startRawServer((_request, response) => void response.end()));
    const redirect: RawHandler = (_request, response) => void response.writeHead(307, { location: thief.origin }).end();
    expect(await outcome(redirect)).toMatchObject(UNDECIDED);
    expect(thief.connections).toBe(0);
  });
});

describe('several providers', () => {
  test('the gateway validates a JWT with the keys of its issuer, and introspects an opaque token at each provider that can, in order', async () => {
    const [first, second, third] = (await Promise.all([1, 2, 3].map(() => gate.keep(startScriptedProvider())))) as [
      ScriptedProvider,
      ScriptedProvider,
      ScriptedProvider,
    ];
    for (const idp of [first, second]) idp.answers.set('/introspect', json({ active: false }));
    third.answers.set('/introspect', json({ active: true, ...goodClaims(third.issuer, { sub: 'carol' }) }));
    const plans = [first, second, third].map((idp, n) =>
      providerPlan(idp, {
        name: `idp-${n}`,
        // The second issues only JWTs.
        introspection: n === 1 ? null : { url: idp.introspectionUrl, credentials: { type: 'none' } },
      }),
    );
    const auth = gate.make(authPlan(plans));
    expect(await attempt(auth, await second.sign({ sub: 'bob' }))).toMatchObject({
      identity: { caller: { subject: 'bob' } },
    });
    expect([first, second, third].map(idp => idp.count('/introspect'))).toEqual([0, 0, 0]);
    expect(await attempt(auth, 'opaque')).toMatchObject({
      identity: { caller: { issuer: third.issuer, subject: 'carol' } },
    });
    expect([first, second, third].map(idp => idp.count('/introspect'))).toEqual([1, 0, 1]);
  });

  test('the gateway answers 503 when one provider is unavailable and the other providers refuse the token', async () => {
    const [away, other] = (await Promise.all([1, 2].map(() => gate.keep(startScriptedProvider())))) as [
      ScriptedProvider,
      ScriptedProvider,
    ];
    away.answers.set('/introspect', (_request, response) => void response.writeHead(500).end());
    other.answers.set('/introspect', json({ active: false }));
    const plans = [away, other].map(idp =>
      providerPlan(idp, { introspection: { url: idp.introspectionUrl, credentials: { type: 'none' } } }),
    );
    expect(await attempt(gate.make(authPlan(plans)), 'opaque')).toMatchObject({ status: 503 });
  });

  test('of two providers with the same issuer, the gateway picks the one whose audience the token has', async () => {
    const idp = await gate.keep(startScriptedProvider());
    const plans = ['first', 'second'].map(audience => providerPlan(idp, { name: audience, audience }));
    const auth = gate.make(authPlan(plans));
    expect(await attempt(auth, await idp.sign({ aud: 'second' }))).toHaveProperty('identity');
    expect(await attempt(auth, await idp.sign({ aud: 'third' }))).toMatchObject({ status: 401 });
  });
});

describe('a provider with a private authority', () => {
  test('the gateway trusts a private certificate authority only for connections to the provider whose plan names this authority', async () => {
    const idp = await gate.keep(startIdentityProvider({ tls: { cert: TEST_CERTIFICATE, key: TEST_KEY } }));
    const token = await idp.issue();
    const more = { allowsHttp: false } as const;
    const pem = { type: 'pem', pem: TEST_CERTIFICATE, replaces: true } as const;
    expect(await attempt(gate.make(authPlan([providerPlan(idp, { ...more, trust: pem })])), token)).toHaveProperty(
      'identity',
    );
    const stranger = gate.make(authPlan([providerPlan(idp, more)]));
    expect(await attempt(stranger, token)).toMatchObject({ status: 503 });
    expect(stranger.status()[0]?.message).toContain('(DEPTH_ZERO_SELF_SIGNED_CERT)');
  });
});

test('the gateway sends the bearer token keysToken with the requests for the discovery document and for the keys', async () => {
  const idp = await gate.keep(startScriptedProvider());
  const auth = gate.make(authPlan([providerPlan(idp, { keysToken: { env: 'KEYS', file: null } })]), {
    env: { KEYS: 'sa-token' },
  });
  expect(await attempt(auth, await idp.sign())).toHaveProperty('identity');
  expect(idp.server.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    [DISCOVERY, 'Bearer sa-token'],
    ['/jwks', 'Bearer sa-token'],
  ]);
});

test('the gateway does not send keysToken to a key URL in the discovery document that has another origin than the issuer', async () => {
  const idp = await gate.keep(startScriptedProvider());
  const elsewhere = await startRawServer((_request, response) => void response.writeHead(401).end());
  const at = elsewhere.origin;
  idp.answers.set(DISCOVERY, json({ issuer: idp.issuer, jwks_uri: `${at}/keys` }));
  try {
    expect(await undecided(idp, { keysToken: { env: 'KEYS', file: null } })).toBe(
      `${at}/keys: answered HTTP 401; the token is sent to ${new URL(idp.issuer).origin} only: configure the URL of the keys`,
    );
    expect(elsewhere.requests.length).toBeGreaterThan(0);
    expect(elsewhere.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  } finally {
    await elsewhere.close();
  }
});

test('the gateway refuses a plan in which a secret is missing, and connects to none of the providers in the plan', async () => {
  const idp = await gate.keep(startScriptedProvider());
  const secret = { env: 'NO_SUCH_VARIABLE', file: null };
  const introspection = { url: idp.introspectionUrl, credentials: { type: 'basic', clientId: 'me', secret } } as const;
  expect(() => gate.make(authPlan([providerPlan(idp), providerPlan(idp, { introspection })]))).toThrow(
    'the client secret of provider "corp" is missing: environment variable NO_SUCH_VARIABLE is not set',
  );
  await new Promise(resolve => setTimeout(resolve, 50));
  expect(idp.server.connections).toBe(0);
});
