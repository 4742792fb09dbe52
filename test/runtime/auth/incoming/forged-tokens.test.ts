/** Attacks by what is in a JWT. Each token differs from a good one in one point. */
import { createPublicKey } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type RawServer, sendJson, startRawServer } from '../../../support/raw-server.ts';
import { attempt, authPlan, Gate, providerPlan } from './harness.ts';
import { compact, goodClaims, hmac, type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

let idp: ScriptedProvider;
let attacker: RawServer;
beforeAll(async () => {
  idp = await startScriptedProvider();
  attacker = await startRawServer((_request, response) => sendJson(response, JSON.stringify({ keys: idp.keys })));
});
afterAll(() => Promise.all([idp.close(), attacker.close()]));

const gate = new Gate();
afterEach(() => gate.dispose());

const now = () => Math.floor(Date.now() / 1000);

type Forge = () => string | Promise<string>;

test.each<[string, Forge]>([
  ['of RSA', () => idp.sign()],
  ['of an elliptic curve', () => idp.sign({}, {}, 'ec')],
  ['without a type', () => idp.sign({}, { typ: undefined })],
  ['of type JWT', () => idp.sign({}, { typ: 'JWT' })],
  ['of a type in full', () => idp.sign({}, { typ: 'application/AT+JWT' })],
  ['with several audiences', () => idp.sign({ aud: ['other', 'gateway'] })],
  ['that has just begun by our clock', () => idp.sign({ nbf: now() + 3 })],
  ['that has just ended by our clock', () => idp.sign({ exp: now() - 2 })],
])('a good token %s is accepted', async (_name, forge) => {
  expect(await attempt(gate.make(authPlan([providerPlan(idp)])), await forge())).toHaveProperty('identity');
});

describe('refused as invalid_token:', () => {
  const ALGORITHM = 'the token is signed by an algorithm that is not accepted';
  const SIGNATURE = 'the signature of the token is wrong';
  const UNVERIFIED = 'the token cannot be verified';
  const TYPE = 'the token is not an access token';
  const ISSUER = 'the token is from another issuer';
  const AUDIENCE = 'the token is for another audience';
  const pem = () =>
    createPublicKey({ key: idp.keys[0] as JWK, format: 'jwk' } as never).export({ type: 'spki', format: 'pem' });
  const good = (more?: object) => goodClaims(idp.issuer, more);

  test.each<[string, Forge, string]>([
    ['alg none', () => compact({ alg: 'none', kid: 'rsa' }, good(), Buffer.alloc(0)), ALGORITHM],
    ['alg None', () => compact({ alg: 'None', kid: 'rsa' }, good(), Buffer.alloc(0)), ALGORITHM],
    ['no alg', () => compact({ kid: 'rsa' }, good(), Buffer.alloc(0)), ALGORITHM],
    ['alg as a list', () => compact({ alg: ['RS256'], kid: 'rsa' }, good(), Buffer.alloc(0)), ALGORITHM],
    ['HS256 by the public key as PEM', () => compact({ alg: 'HS256', kid: 'rsa' }, good(), hmac(pem())), ALGORITHM],
    [
      'HS256 by the public key as JWK',
      () => compact({ alg: 'HS256', kid: 'rsa' }, good(), hmac(JSON.stringify(idp.keys[0]))),
      ALGORITHM,
    ],
    ['EdDSA', () => compact({ alg: 'EdDSA', kid: 'rsa' }, good(), Buffer.alloc(64)), ALGORITHM],
    ['no kid', () => idp.sign({}, { kid: undefined }), 'the token names no key (kid)'],
    ['empty kid', () => idp.sign({}, { kid: '' }), 'the token names no key (kid)'],
    [
      'kid that is no text',
      () => compact({ alg: 'RS256', kid: 1 }, good(), Buffer.alloc(256)),
      'the token names no key (kid)',
    ],
    ['unknown kid', () => idp.sign({}, { kid: 'other' }), 'the token is signed by an unknown key'],
    ['kid of the prototype', () => idp.sign({}, { kid: '__proto__' }), 'the token is signed by an unknown key'],
    ['kid of a key of another family', () => idp.sign({}, { kid: 'ec' }), UNVERIFIED],
    ['key of a stranger', () => idp.sign({}, {}, 'stranger'), SIGNATURE],
    ['ECDSA signature of zeros', () => compact({ alg: 'ES256', kid: 'ec' }, good(), Buffer.alloc(64)), SIGNATURE],
    ['no signature', async () => `${(await idp.sign()).split('.').slice(0, 2).join('.')}.`, SIGNATURE],
    [
      'other claims under the signature',
      async () => {
        const [header, , signature] = (await idp.sign()).split('.');
        return [header, Buffer.from(JSON.stringify(good({ sub: 'root' }))).toString('base64url'), signature].join('.');
      },
      SIGNATURE,
    ],
    [
      'a key of its own in the header',
      async () => {
        const own = await generateKeyPair('RS256');
        return idp.sign({}, { jwk: await exportJWK(own.publicKey) }, 'stranger');
      },
      SIGNATURE,
    ],
    [
      'a place of keys in the header',
      () => idp.sign({}, { jku: `${attacker.origin}/jwks`, x5u: attacker.origin }, 'stranger'),
      SIGNATURE,
    ],
    [
      'a critical extension',
      () => compact({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 }, good(), Buffer.alloc(256)),
      UNVERIFIED,
    ],
    ['a logout token', () => idp.sign({}, { typ: 'logout+jwt' }), TYPE],
    ['a DPoP proof', () => idp.sign({}, { typ: 'dpop+jwt' }), TYPE],
    ['a type that is no text', () => compact({ alg: 'RS256', kid: 'rsa', typ: null }, good(), Buffer.alloc(256)), TYPE],
    [
      'a logout token without a type',
      () => idp.sign({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, { typ: undefined }),
      TYPE,
    ],
    ['a foreign issuer', () => idp.sign({ iss: 'https://evil.example' }), ISSUER],
    ['the issuer with a slash', () => idp.sign({ iss: `${idp.issuer}/` }), ISSUER],
    ['the issuer in capitals', () => idp.sign({ iss: idp.issuer.toUpperCase() }), ISSUER],
    ['no issuer', () => idp.sign({ iss: undefined }), ISSUER],
    ['the issuer in a list', () => idp.sign({ iss: [idp.issuer] }), ISSUER],
    ['another audience', () => idp.sign({ aud: 'other' }), AUDIENCE],
    ['no audience', () => idp.sign({ aud: undefined }), 'the token has no aud'],
    ['no audience in a list', () => idp.sign({ aud: [] }), AUDIENCE],
    ['the audience within a text', () => idp.sign({ aud: 'gateway other' }), AUDIENCE],
    ['the audience with a slash', () => idp.sign({ aud: 'gateway/' }), AUDIENCE],
    ['the audience in a list in a list', () => idp.sign({ aud: [['gateway']] }), AUDIENCE],
    ['the audience beside what is no text', () => idp.sign({ aud: ['gateway', 7] }), AUDIENCE],
    ['the audience in an object', () => idp.sign({ aud: { 0: 'gateway', length: 1 } }), AUDIENCE],
    ['expired', () => idp.sign({ exp: now() - 6 }), 'the token has expired'],
    ['no end', () => idp.sign({ exp: undefined }), 'the token has no exp'],
    ['an end that is a text', () => idp.sign({ exp: '9999999999' }), 'the token has an unusable exp'],
    ['not valid yet', () => idp.sign({ nbf: now() + 30 }), 'the token is not valid yet'],
    ['no subject', () => idp.sign({ sub: undefined }), 'the token has no sub'],
    ['an empty subject', () => idp.sign({ sub: '' }), 'the token names no subject (sub)'],
    ['a subject that is no text', () => idp.sign({ sub: 7 }), 'the token names no subject (sub)'],
    [
      'bound to a key',
      () => idp.sign({ cnf: { jkt: 'thumbprint' } }),
      'the token is bound to a key (cnf), which is not supported',
    ],
  ])('%s', async (_name, forge, text) => {
    const auth = gate.make(authPlan([providerPlan(idp)]));
    const token = await forge();
    expect(await attempt(auth, token)).toEqual({
      status: 401,
      error: 'invalid_token',
      text,
      challenge: `Bearer realm="test", error="invalid_token", error_description="${text}"`,
    });
    // Nor is it remembered as anything else.
    expect(await attempt(auth, token)).toMatchObject({ status: 401, text });
    expect(attacker.connections).toBe(0);
  });
});

test('an issuer with a slash in the plan wants it in the token', async () => {
  const own = await gate.keep(startScriptedProvider());
  const issuer = `${own.issuer}/`;
  own.answers.set('/.well-known/openid-configuration', (_request, response) =>
    sendJson(response, JSON.stringify({ issuer, jwks_uri: own.jwksUrl })),
  );
  const auth = gate.make(authPlan([providerPlan({ ...own, issuer })]));
  expect(await attempt(auth, await own.sign({ iss: issuer }))).toHaveProperty('identity');
  expect(await attempt(auth, await own.sign())).toMatchObject({
    status: 401,
    text: 'the token is from another issuer',
  });
});

describe('keys that may not sign', () => {
  async function outcomeWith(changes: object, keySet?: (key: JWK) => JWK[]) {
    const own = await gate.keep(startScriptedProvider());
    const key = { ...own.keys[0], ...changes } as JWK;
    own.answers.set('/jwks', (_request, response) =>
      sendJson(response, JSON.stringify({ keys: [...(keySet?.(key) ?? [key]), own.keys[1]] })),
    );
    return attempt(gate.make(authPlan([providerPlan(own)])), await own.sign());
  }

  test.each([
    ['for encryption', { use: 'enc' }],
    ['for another operation', { key_ops: ['encrypt'] }],
    ['for another algorithm', { alg: 'PS256' }],
  ])('%s', async (_name, changes) => {
    expect(await outcomeWith({})).toHaveProperty('identity');
    expect(await outcomeWith(changes)).toMatchObject({ status: 401, text: 'the token cannot be verified' });
  });

  test('two of one id and algorithm', async () => {
    expect(await outcomeWith({}, key => [key, key])).toMatchObject({
      status: 401,
      text: 'the token cannot be verified',
    });
  });

  test('that are too short', async () => {
    const { generateKeyPairSync, createSign } = await import('node:crypto');
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const own = await gate.keep(startScriptedProvider());
    const short = { ...publicKey.export({ format: 'jwk' }), kid: 'short' };
    own.answers.set('/jwks', (_request, response) => sendJson(response, JSON.stringify({ keys: [short] })));
    const token = compact({ alg: 'RS256', kid: 'short' }, goodClaims(own.issuer), input =>
      createSign('sha256').update(input).sign(privateKey),
    );
    expect(await attempt(gate.make(authPlan([providerPlan(own)])), token)).toMatchObject({ status: 401 });
  });
});
