/** Attacks in a caller's request: everything that is protected by bearer tokens must withstand all of them. */
import { createPublicKey } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { MAX_TOKEN_LENGTH } from '../../../../runtime/auth/incoming/bearer-token.ts';
import type { RawServer } from '../../../support/raw-server.ts';
import { compact, goodClaims, hmac, type ScriptedProvider } from '../incoming/scripted-provider.ts';

/** The servers: the trusted provider, and an attacker whose keys must never be fetched. */
export interface Players {
  readonly idp: ScriptedProvider;
  readonly attacker: RawServer;
}

type Forge = (players: Players) => string | Promise<string>;

const now = (): number => Math.floor(Date.now() / 1000);

const pem = ({ keys }: ScriptedProvider): string | Buffer =>
  createPublicKey({ key: keys[0] as JWK, format: 'jwk' } as never).export({ type: 'spki', format: 'pem' });

export const GOOD_TOKENS: readonly (readonly [name: string, sign: Forge])[] = [
  ['of RSA', ({ idp }) => idp.sign()],
  ['of an elliptic curve', ({ idp }) => idp.sign({}, {}, 'ec')],
  ['without a type', ({ idp }) => idp.sign({}, { typ: undefined })],
  ['of type JWT', ({ idp }) => idp.sign({}, { typ: 'JWT' })],
  ['of a type in full', ({ idp }) => idp.sign({}, { typ: 'application/AT+JWT' })],
  ['that names no key where one fits', ({ idp }) => idp.sign({}, { kid: undefined }, 'ec')],
  ['with a nonce, for a client', ({ idp }) => idp.sign({ nonce: 'n', client_id: 'app' })],
  ['with a nonce, for the party that was authorized', ({ idp }) => idp.sign({ nonce: 'n', azp: 'app' })],
  ['with a hash, for a scope', ({ idp }) => idp.sign({ at_hash: 'h', scope: 'mcp' })],
  ['with a hash, for scopes in a list', ({ idp }) => idp.sign({ at_hash: 'h', scp: ['mcp'] })],
  [
    'of a service account of Kubernetes',
    ({ idp }) =>
      idp.sign(
        {
          sub: 'system:serviceaccount:team-a:agent',
          aud: ['gateway'],
          jti: '61b06ed9-3a5a-4f0d-8f46-6c6b7f1d9e70',
          'kubernetes.io': {
            namespace: 'team-a',
            serviceaccount: { name: 'agent', uid: 'd4b8' },
            pod: { name: 'agent-0', uid: '77aa' },
            warnafter: now() + 300,
          },
        },
        { typ: undefined },
      ),
  ],
  ['that was just issued by our clock', ({ idp }) => idp.sign({ iat: now() + 3 })],
  ['that does not say when it was issued', ({ idp }) => idp.sign({ iat: undefined })],
  ['with several audiences', ({ idp }) => idp.sign({ aud: ['other', 'gateway'] })],
  ['that has just begun by our clock', ({ idp }) => idp.sign({ nbf: now() + 3 })],
];

const ALGORITHM = 'the token is signed with an algorithm that is not accepted';
const SIGNATURE = 'the signature of the token is wrong';
const KID = 'the key id (kid) of the token is not a string';
const EXP = 'the token has an unusable exp';
const UNVERIFIED = 'the token cannot be verified';
const TYPE = 'the token is not an access token';
const ISSUER = 'the token is from another issuer';
const AUDIENCE = 'the token is for another audience';

/** Tokens that each differ from a valid token in one point, with the response to the caller. */
export const FORGED_TOKENS: readonly (readonly [name: string, forge: Forge, text: string])[] = [
  ['alg none', ({ idp }) => compact({ alg: 'none', kid: 'rsa' }, goodClaims(idp.issuer), Buffer.alloc(0)), ALGORITHM],
  ['alg None', ({ idp }) => compact({ alg: 'None', kid: 'rsa' }, goodClaims(idp.issuer), Buffer.alloc(0)), ALGORITHM],
  ['no alg', ({ idp }) => compact({ kid: 'rsa' }, goodClaims(idp.issuer), Buffer.alloc(0)), ALGORITHM],
  [
    'alg as a list',
    ({ idp }) => compact({ alg: ['RS256'], kid: 'rsa' }, goodClaims(idp.issuer), Buffer.alloc(0)),
    ALGORITHM,
  ],
  [
    'HS256 by the public key as PEM',
    ({ idp }) => compact({ alg: 'HS256', kid: 'rsa' }, goodClaims(idp.issuer), hmac(pem(idp))),
    ALGORITHM,
  ],
  [
    'HS256 by the public key as JWK',
    ({ idp }) => compact({ alg: 'HS256', kid: 'rsa' }, goodClaims(idp.issuer), hmac(JSON.stringify(idp.keys[0]))),
    ALGORITHM,
  ],
  ['EdDSA', ({ idp }) => compact({ alg: 'EdDSA', kid: 'rsa' }, goodClaims(idp.issuer), Buffer.alloc(64)), ALGORITHM],
  ['empty kid', ({ idp }) => idp.sign({}, { kid: '' }), KID],
  [
    'kid that is no text',
    ({ idp }) => compact({ alg: 'RS256', kid: 1 }, goodClaims(idp.issuer), Buffer.alloc(256)),
    KID,
  ],
  ['unknown kid', ({ idp }) => idp.sign({}, { kid: 'other' }), 'the token is signed with an unknown key'],
  ['kid of the prototype', ({ idp }) => idp.sign({}, { kid: '__proto__' }), 'the token is signed with an unknown key'],
  [
    'kid of a key of another family',
    ({ idp }) => idp.sign({}, { kid: 'ec' }),
    'the token is signed with an unknown key',
  ],
  ['a signature by an unknown key', ({ idp }) => idp.sign({}, {}, 'stranger'), SIGNATURE],
  [
    'ECDSA signature of zeros',
    ({ idp }) => compact({ alg: 'ES256', kid: 'ec' }, goodClaims(idp.issuer), Buffer.alloc(64)),
    SIGNATURE,
  ],
  ['no signature', async ({ idp }) => `${(await idp.sign()).split('.').slice(0, 2).join('.')}.`, SIGNATURE],
  [
    'other claims under the signature',
    async ({ idp }) => {
      const [header, , signature] = (await idp.sign()).split('.');
      return [
        header,
        Buffer.from(JSON.stringify(goodClaims(idp.issuer, { sub: 'root' }))).toString('base64url'),
        signature,
      ].join('.');
    },
    SIGNATURE,
  ],
  [
    'a key of its own in the header',
    async ({ idp }) => {
      const own = await generateKeyPair('RS256');
      return idp.sign({}, { jwk: await exportJWK(own.publicKey) }, 'stranger');
    },
    SIGNATURE,
  ],
  [
    'the URL of other keys in the header',
    ({ idp, attacker }) => idp.sign({}, { jku: `${attacker.origin}/jwks`, x5u: attacker.origin }, 'stranger'),
    SIGNATURE,
  ],
  [
    'a critical extension',
    ({ idp }) => compact({ alg: 'RS256', kid: 'rsa', crit: ['x'], x: 1 }, goodClaims(idp.issuer), Buffer.alloc(256)),
    UNVERIFIED,
  ],
  ['a logout token', ({ idp }) => idp.sign({}, { typ: 'logout+jwt' }), TYPE],
  ['a DPoP proof', ({ idp }) => idp.sign({}, { typ: 'dpop+jwt' }), TYPE],
  [
    'a type that is not a string',
    ({ idp }) => compact({ alg: 'RS256', kid: 'rsa', typ: null }, goodClaims(idp.issuer), Buffer.alloc(256)),
    TYPE,
  ],
  [
    'a logout token without a type',
    ({ idp }) => idp.sign({ events: { 'http://schemas.openid.net/event/backchannel-logout': {} } }, { typ: undefined }),
    TYPE,
  ],
  ['a foreign issuer', ({ idp }) => idp.sign({ iss: 'https://evil.example' }), ISSUER],
  ['the issuer with a slash', ({ idp }) => idp.sign({ iss: `${idp.issuer}/` }), ISSUER],
  ['the issuer in capitals', ({ idp }) => idp.sign({ iss: idp.issuer.toUpperCase() }), ISSUER],
  ['no issuer', ({ idp }) => idp.sign({ iss: undefined }), ISSUER],
  ['the issuer in a list', ({ idp }) => idp.sign({ iss: [idp.issuer] }), ISSUER],
  ['another audience', ({ idp }) => idp.sign({ aud: 'other' }), AUDIENCE],
  ['no audience', ({ idp }) => idp.sign({ aud: undefined }), 'the token has no aud'],
  ['no audience in a list', ({ idp }) => idp.sign({ aud: [] }), AUDIENCE],
  ['the audience within a longer string', ({ idp }) => idp.sign({ aud: 'gateway other' }), AUDIENCE],
  ['the audience with a slash', ({ idp }) => idp.sign({ aud: 'gateway/' }), AUDIENCE],
  ['the audience in a list in a list', ({ idp }) => idp.sign({ aud: [['gateway']] }), AUDIENCE],
  ['the audience in a list with a number', ({ idp }) => idp.sign({ aud: ['gateway', 7] }), AUDIENCE],
  ['the audience in an object', ({ idp }) => idp.sign({ aud: { 0: 'gateway', length: 1 } }), AUDIENCE],
  ['expired', ({ idp }) => idp.sign({ exp: now() - 6 }), 'the token has expired'],
  ['just expired', ({ idp }) => idp.sign({ exp: now() - 1 }), 'the token has expired'],
  ['expiring in this second', ({ idp }) => idp.sign({ exp: now() }), 'the token has expired'],
  ['no expiry', ({ idp }) => idp.sign({ exp: undefined }), 'the token has no exp'],
  ['an expiry that is a string', ({ idp }) => idp.sign({ exp: '9999999999' }), 'the token has an unusable exp'],
  ['an infinite expiry', ({ idp }) => idp.signText({ exp: 0 }, '"exp":0', '"exp":1e400'), EXP],
  ['an expiry beyond all dates', ({ idp }) => idp.sign({ exp: 1e15 }), EXP],
  [
    'an nbf of minus infinity',
    ({ idp }) => idp.signText({ nbf: 0 }, '"nbf":0', '"nbf":-1e400'),
    'the token has an unusable nbf',
  ],
  ['issued in the future', ({ idp }) => idp.sign({ iat: now() + 30 }), 'the token was issued in the future'],
  ['an iat that is a string', ({ idp }) => idp.sign({ iat: 'now' }), 'the token has an unusable iat'],
  ['an infinite iat', ({ idp }) => idp.signText({ iat: 0 }, '"iat":0', '"iat":1e400'), 'the token has an unusable iat'],
  ['an ID token with a nonce', ({ idp }) => idp.sign({ nonce: 'n' }), TYPE],
  ['an ID token with a hash', ({ idp }) => idp.sign({ at_hash: 'h' }), TYPE],
  ['an ID token with the hash of a code', ({ idp }) => idp.sign({ c_hash: 'h' }), TYPE],
  ['an ID token with an empty scope', ({ idp }) => idp.sign({ nonce: 'n', scope: '', client_id: null, scp: [] }), TYPE],
  ['an ID token by its typ', ({ idp }) => idp.sign({ typ: 'ID', azp: 'app' }), TYPE],
  ['a refresh token by its typ', ({ idp }) => idp.sign({ typ: 'Refresh', azp: 'app' }), TYPE],
  ['not valid yet', ({ idp }) => idp.sign({ nbf: now() + 30 }), 'the token is not valid yet'],
  ['no subject', ({ idp }) => idp.sign({ sub: undefined }), 'the token has no sub'],
  ['an empty subject', ({ idp }) => idp.sign({ sub: '' }), 'the token has no subject (sub)'],
  ['a subject that is a number', ({ idp }) => idp.sign({ sub: 7 }), 'the token has no subject (sub)'],
  [
    'bound to a key',
    ({ idp }) => idp.sign({ cnf: { jkt: 'thumbprint' } }),
    'the token is bound to a key (cnf), which is not supported',
  ],
];

type Headers = (token: string) => readonly string[];

const MISSING = 'a bearer token is needed in the Authorization header';
const TWICE = 'there is more than one Authorization header';
const EMPTY = 'the Authorization header has no token';
const CHARACTERS = 'the token has characters that a token cannot have';

/** Headers (alternating names and values) with which a valid token is accepted. */
export const GOOD_CREDENTIALS: readonly (readonly [name: string, headers: Headers])[] = [
  ['in the usual form', token => ['Authorization', `Bearer ${token}`]],
  ['in mixed case', token => ['aUTHORIZATION', `bEARER ${token}`]],
  ['with several spaces', token => ['authorization', `Bearer   ${token}`]],
  ['among other headers', token => ['Proxy-Authorization', 'Bearer x', 'authorization', `Bearer ${token}`, 'X', '']],
];

/** Headers with a valid token in the wrong form or place. */
export const BAD_CREDENTIALS: readonly (readonly [name: string, headers: Headers, text: string])[] = [
  ['no header', () => [], MISSING],
  ['another scheme', () => ['Authorization', 'Basic dXNlcjpwYXNz'], MISSING],
  ['the scheme BearerX', token => ['Authorization', `BearerX ${token}`], MISSING],
  ['no scheme', token => ['Authorization', token], MISSING],
  ['an empty header', () => ['Authorization', ''], MISSING],
  ['a tab after the scheme', token => ['Authorization', `Bearer\t${token}`], MISSING],
  ['a misspelt header name', token => ['Authorizatiom', `Bearer ${token}`], MISSING],
  ['no token', () => ['Authorization', 'Bearer'], EMPTY],
  ['spaces in place of a token', () => ['Authorization', 'Bearer   '], EMPTY],
  ['two headers', token => ['Authorization', `Bearer ${token}`, 'authorization', `Bearer ${token}`], TWICE],
  ['two headers of two schemes', token => ['Authorization', 'Basic eA==', 'Authorization', `Bearer ${token}`], TWICE],
  ['quotes', token => ['Authorization', `Bearer "${token}"`], CHARACTERS],
  ['single quotes', token => ['Authorization', `Bearer '${token}'`], CHARACTERS],
  ['a space within', token => ['Authorization', `Bearer ${token.slice(0, 9)} ${token.slice(9)}`], CHARACTERS],
  ['two tokens', token => ['Authorization', `Bearer ${token}, Bearer ${token}`], CHARACTERS],
  ['a parameter', token => ['Authorization', `Bearer token=${token}`], CHARACTERS],
  ['a character beyond ASCII', token => ['Authorization', `Bearer ${token}\u00e9`], CHARACTERS],
  [
    'a huge token',
    () => ['Authorization', `Bearer ${'x'.repeat(MAX_TOKEN_LENGTH + 1)}`],
    'the token has more than 16384 characters',
  ],
];

/** Headers with a valid token in a form that no connection can carry, for code that gets headers directly. */
export const UNSENDABLE_CREDENTIALS: typeof BAD_CREDENTIALS = [
  ['a trailing space', token => ['Authorization', `Bearer ${token} `], CHARACTERS],
  ['a trailing line break', token => ['Authorization', `Bearer ${token}\n`], CHARACTERS],
];
