/** The gateway accepts the tokens of a real identity provider. */

import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type IdentityProvider, startIdentityProvider } from '../../../support/identity-provider.ts';
import { eventually } from '../../../support/process.ts';
import { sendJson } from '../../../support/raw-server.ts';
import { attempt, authPlan, Gate, introspectionAt, providerPlan, TestClock } from './harness.ts';
import { startScriptedProvider } from './scripted-provider.ts';

let idp: IdentityProvider;
beforeAll(async () => {
  idp = await startIdentityProvider();
});
afterAll(() => idp.close());

const LET_IN = { identity: { caller: { subject: 'alice' } } };
const SEVERAL = {
  status: 401,
  text: 'several keys match the token, and its key id (kid) does not choose one of the keys',
};

const withoutId = ({ kid: _, ...key }: JWK): JWK => key;
/** A key of the same type that has signed nothing. */
const strangerOf = (key: JWK): JWK => ({ ...key, ...strangerKey, kid: 'stranger' });
let strangerKey: JWK;
beforeAll(async () => {
  strangerKey = await exportJWK((await generateKeyPair('RS256')).publicKey);
});

const gate = new Gate();
afterEach(() => gate.dispose());

describe('a JWT', () => {
  test.each(['RS256', 'PS256', 'ES256'] as const)(
    'the gateway identifies a caller by a JWT that is signed with %s',
    async alg => {
      const auth = gate.make(authPlan([providerPlan(idp)]));
      const token = await idp.issue({ alg, scope: 'mcp', claims: { sub: 'alice', groups: ['dev'] } });
      expect(await attempt(auth, token)).toMatchObject({
        identity: {
          key: JSON.stringify([idp.issuer, 'alice']),
          caller: {
            issuer: idp.issuer,
            subject: 'alice',
            claims: { iss: idp.issuer, aud: 'gateway', sub: 'alice', groups: ['dev'], scope: 'mcp' },
            token,
          },
        },
      });
    },
  );

  test('two tokens of one subject identify the same caller', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    const keys = [];
    for (const sub of ['alice', 'alice', 'bob']) {
      const outcome = await attempt(auth, await idp.issue({ claims: { sub } }));
      keys.push('identity' in outcome ? outcome.identity.key : undefined);
    }
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[0]);
  });

  test('the gateway verifies a JWT by keys at a configured jwksUrl', async () => {
    const plan = providerPlan(idp, { keys: { type: 'jwks', url: idp.jwksUrl } });
    expect(await attempt(gate.make(authPlan([plan])), await idp.issue())).toHaveProperty('identity');
  });

  test('the gateway accepts a cached JWT at once, and refuses the JWT after its expiry', async () => {
    const clock = new TestClock();
    const auth = gate.make(authPlan([providerPlan(idp)]), clock);
    const token = await idp.issue({ expiresIn: 60 });
    const first = await attempt(auth, token);
    const req = { rawHeaders: ['authorization', `bearer ${token}`] } as never;
    expect(auth.authenticate(req)).toBe('identity' in first && first.identity);
    clock.forward(66_000);
    expect(await attempt(auth, token)).toMatchObject({ status: 401, text: 'the token has expired' });
  });

  test('the gateway fetches the keys of a provider once for many concurrent requests with tokens of this provider', async () => {
    const own = await gate.keep(startIdentityProvider());
    const auth = gate.make(authPlan([providerPlan(own)]));
    const tokens = await Promise.all(Array.from({ length: 8 }, (_, n) => own.issue({ claims: { sub: `user-${n}` } })));
    const outcomes = await Promise.all([...tokens, ...tokens, ...tokens].map(token => attempt(auth, token)));
    expect(outcomes.every(outcome => 'identity' in outcome)).toBe(true);
    expect(own.count('/jwks')).toBe(1);
    expect(own.count('/.well-known/openid-configuration')).toBe(1);
  });

  test('the gateway accepts a JWT only with all required scopes', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)], { requiredScopes: ['mcp:read', 'tools'] }));
    expect(await attempt(auth, await idp.issue({ scope: 'tools mcp:read mcp' }))).toHaveProperty('identity');
    expect(await attempt(auth, await idp.issue({ claims: { scp: ['mcp:read', 'tools'] } }))).toHaveProperty('identity');
    expect(await attempt(auth, await idp.issue({ scope: 'tools mcp' }))).toEqual({
      status: 403,
      error: 'insufficient_scope',
      text: 'the token lacks a scope that is needed here',
      challenge:
        'Bearer realm="test", error="insufficient_scope", error_description="the token lacks a scope that is needed here", scope="mcp:read tools"',
    });
  });
});

describe('keys', () => {
  test('after a provider rotates its keys, the gateway accepts tokens of the new keys and refuses tokens of the old keys', async () => {
    const own = await gate.keep(startIdentityProvider());
    const auth = gate.make(authPlan([providerPlan(own)]));
    const old = await own.issue();
    expect(await attempt(auth, old)).toHaveProperty('identity');
    await own.rotateKeys();
    expect(await attempt(auth, await own.issue())).toHaveProperty('identity');
    expect(await attempt(auth, old)).toMatchObject({ status: 401, text: 'the token is signed with an unknown key' });
  });

  test('the gateway fetches the keys once more when a provider has replaced a key under the same id', async () => {
    const own = await gate.keep(startScriptedProvider());
    const [good, ec] = own.keys as [JWK, JWK];
    own.answers.set('/jwks', (_request, response) =>
      sendJson(response, JSON.stringify({ keys: [{ ...strangerOf(good), kid: 'rsa' }, ec] })),
    );
    const auth = gate.make(authPlan([providerPlan(own)]));
    expect(await attempt(auth, await own.sign({ sub: 'bob' }, {}, 'ec'))).toHaveProperty('identity');
    own.answers.clear();
    expect(await attempt(auth, await own.sign())).toHaveProperty('identity');
    expect(own.count('/jwks')).toBe(2);
  });

  test('tokens with wrong signatures make the gateway fetch the keys of a provider at most five times in one moment', async () => {
    const own = await gate.keep(startScriptedProvider());
    const at = Date.now();
    const auth = gate.make(authPlan([providerPlan(own)]), { now: () => at });
    for (let n = 0; n < 20; n++)
      expect(await attempt(auth, await own.sign({ sub: `${n}` }, {}, 'stranger'))).toMatchObject({ status: 401 });
    expect(own.count('/jwks')).toBe(1 + 5);
  });

  test.each<[string, (keys: JWK[]) => JWK[], header: object, outcome: object]>([
    ['with ids, for a token without an id', keys => keys.slice(0, 1), { kid: undefined }, LET_IN],
    ['of RSA and EC keys, for a token without an id', keys => keys, { kid: undefined }, LET_IN],
    ['without ids, for a token without an id', keys => keys.map(withoutId), { kid: undefined }, LET_IN],
    ['without ids, for a token with an id', keys => keys.map(withoutId), { kid: 'rsa' }, LET_IN],
    [
      'with another id and a key without an id',
      ([rsa, ec]) => [withoutId(rsa as JWK), ec as JWK],
      { kid: 'rsa' },
      LET_IN,
    ],
    [
      'of which two keys fit a token without an id',
      ([rsa]) => [rsa as JWK, strangerOf(rsa as JWK)],
      { kid: undefined },
      SEVERAL,
    ],
    [
      'of which two keys without an id fit',
      ([rsa]) => [rsa as JWK, strangerOf(rsa as JWK)].map(withoutId),
      {},
      SEVERAL,
    ],
    [
      'of which no key fits',
      ([, ec]) => [ec as JWK],
      { kid: undefined },
      { text: 'the token is signed with an unknown key' },
    ],
  ])(
    'the gateway picks the right key for a token, or refuses the token, from a key set %s',
    async (_name, choose, header, outcome) => {
      const own = await gate.keep(startScriptedProvider());
      own.answers.set('/jwks', (_request, response) =>
        sendJson(response, JSON.stringify({ keys: choose([...own.keys]) })),
      );
      const auth = gate.make(authPlan([providerPlan(own)]));
      expect(await attempt(auth, await own.sign({}, header))).toMatchObject(outcome);
    },
  );

  test('the gateway accepts tokens of known keys while their provider is unavailable, and /status reports the failure of the provider', async () => {
    const own = await gate.keep(startIdentityProvider());
    const auth = gate.make(authPlan([providerPlan(own)]));
    const [first, second] = [await own.issue(), await own.issue()];
    expect(await attempt(auth, first)).toHaveProperty('identity');
    expect(auth.status()).toMatchObject([{ name: 'corp', issuer: own.issuer, keys: 3, message: '' }]);
    await own.goAway();
    expect(await attempt(auth, second)).toHaveProperty('identity');
    const [header, ...rest] = second.split('.');
    const other = { ...JSON.parse(Buffer.from(header ?? '', 'base64url').toString()), kid: 'unknown' };
    const unknown = [Buffer.from(JSON.stringify(other)).toString('base64url'), ...rest].join('.');
    expect(await attempt(auth, unknown)).toMatchObject({ status: 503, challenge: 'Bearer realm="test"' });
    expect(auth.status()).toMatchObject([{ keys: 3, message: expect.stringContaining('(ECONNREFUSED)') }]);
    expect(await attempt(auth, second)).toHaveProperty('identity');
  });

  test('the gateway starts while a provider is down, and fetches the keys of the provider once it is available', async () => {
    const own = await gate.keep(startIdentityProvider());
    const token = await own.issue();
    await own.goAway();
    const auth = gate.make(authPlan([providerPlan(own)]));
    expect(await attempt(auth, token)).toEqual({
      status: 503,
      challenge: 'Bearer realm="test"',
      error: 'temporarily_unavailable',
      text: 'the identity provider cannot be queried about the token now',
    });
    expect(auth.status()).toMatchObject([{ keys: 0, lastFetch: null }]);
    await own.comeBack();
    await eventually(async () => 'identity' in (await attempt(auth, token)));
    expect(auth.status()).toMatchObject([{ keys: 3, message: '' }]);
    expect(auth.status()[0]?.lastFetch).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });
});

describe('an opaque token', () => {
  test('the gateway identifies a caller by introspection of an opaque token, and caches the answer', async () => {
    const auth = gate.make(authPlan([providerPlan(idp, introspectionAt(idp))]));
    const token = await idp.issue({ format: 'opaque', scope: 'mcp', claims: { sub: 'alice', groups: ['dev'] } });
    const before = idp.count('/token/introspection');
    const expected = {
      identity: { caller: { issuer: idp.issuer, subject: 'alice', claims: { groups: ['dev'] }, token } },
    };
    for (let time = 0; time < 3; time++) expect(await attempt(auth, token)).toMatchObject(expected);
    expect(idp.count('/token/introspection')).toBe(before + 1);
  });

  test('the gateway refuses a revoked opaque token once the cached introspection has expired', async () => {
    const clock = new TestClock();
    const auth = gate.make(authPlan([providerPlan(idp, introspectionAt(idp))]), clock);
    const token = await idp.issue({ format: 'opaque', claims: { sub: 'alice' } });
    expect(await attempt(auth, token)).toHaveProperty('identity');
    await idp.revoke(token);
    clock.forward(10_000);
    expect(await attempt(auth, token)).toMatchObject({
      status: 401,
      error: 'invalid_token',
      text: 'the token is not active',
    });
  });

  test('the gateway accepts an opaque token only with its audience and all required scopes', async () => {
    const plan = authPlan([providerPlan(idp, introspectionAt(idp))], { requiredScopes: ['mcp'] });
    const auth = gate.make(plan);
    const claims = { sub: 'alice' };
    const issue = (wish: object) => idp.issue({ format: 'opaque', claims, scope: 'mcp', ...wish });
    expect(await attempt(auth, await issue({}))).toHaveProperty('identity');
    expect(await attempt(auth, await issue({ audience: 'other' }))).toMatchObject({
      status: 401,
      text: 'the token is for another audience',
    });
    expect(await attempt(auth, await issue({ scope: 'tools' }))).toMatchObject({ status: 403 });
  });

  test('the gateway refuses an opaque token when no provider has an introspection endpoint', async () => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    const before = idp.count('/token/introspection');
    expect(await attempt(auth, 'opaque')).toMatchObject({ status: 401, text: 'the token is not a JWT' });
    expect(idp.count('/token/introspection')).toBe(before);
  });

  test('a request with an opaque token gets 503 while the provider is unavailable or rejects the credentials of the gateway', async () => {
    const own = await gate.keep(startIdentityProvider());
    const plan = authPlan([providerPlan(own, introspectionAt(own))]);
    const token = await own.issue({ format: 'opaque', claims: { sub: 'alice' } });
    const stranger = gate.make(plan, { env: { CLIENT_SECRET: 'wrong' } });
    expect(await attempt(stranger, token)).toMatchObject({ status: 503 });
    expect(stranger.status()).toMatchObject([{ message: 'introspection: answered HTTP 401' }]);
    const auth = gate.make(plan);
    expect(await attempt(auth, token)).toHaveProperty('identity');
    await own.goAway();
    expect(await attempt(auth, 'another')).toMatchObject({ status: 503 });
  });
});
