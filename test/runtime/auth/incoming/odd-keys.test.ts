/** Key sets whose keys must not be used as they are, or not at all: weak ones, ones for other uses, ones that share an id. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendJson } from '../../../support/raw-server.ts';
import { attempt, authPlan, Gate, providerPlan } from './harness.ts';
import { compact, goodClaims, type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

interface OwnKey {
  readonly jwk: JWK;
  readonly privateKey: KeyObject;
}

const gate = new Gate();
let idp: ScriptedProvider;
let own: OwnKey;
let other: OwnKey;

beforeAll(async () => {
  idp = await startScriptedProvider();
  [own, other] = [await rsaKey(2048), await rsaKey(2048)];
});
afterAll(async () => {
  await gate.dispose();
  await idp.close();
});

async function rsaKey(bits: number): Promise<OwnKey> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  return { jwk: { ...(await exportJWK(publicKey)), kid: 'own' }, privateKey };
}

/** Signs a token with Node's own functions, which also accept keys that `jose` refuses. */
function tokenBy({ privateKey }: OwnKey, header: object = {}): string {
  const full = { alg: 'RS256', kid: 'own', typ: 'at+jwt', ...header };
  return compact(full, goodClaims(idp.issuer), input => sign('sha256', Buffer.from(input), privateKey));
}

/** The outcome of a gateway's validation of a token, if the provider publishes these keys. */
async function judge(keys: readonly unknown[], token: string): Promise<unknown> {
  idp.answers.set('/jwks', (_request, response) => sendJson(response, JSON.stringify({ keys })));
  return attempt(gate.make(authPlan([providerPlan(idp)])), token);
}

const LET_IN = { identity: { caller: { subject: 'alice' } } };
const REFUSED = { status: 401, error: 'invalid_token' };

test('the gateway accepts a token that is signed by a key of the key set', async () => {
  expect(await judge([own.jwk], tokenBy(own))).toMatchObject(LET_IN);
});

test.each<[what: string, change: (key: OwnKey) => object]>([
  ['for encryption', () => ({ use: 'enc' })],
  ['for an operation other than to verify', () => ({ key_ops: ['encrypt', 'wrapKey'] })],
  ['for another algorithm', () => ({ alg: 'PS256' })],
  ['for encryption by its algorithm', () => ({ alg: 'RSA-OAEP' })],
  ['with another exponent', () => ({ e: 'AQ' })],
  ['without its modulus', () => ({ n: undefined })],
  ['that is a shared secret', () => ({ kty: 'oct', k: 'c2VjcmV0' })],
  [
    'that is published with its private part',
    key => ({ ...(key.privateKey.export({ format: 'jwk' }) as object), kid: 'own' }),
  ],
])(
  'the gateway accepts no token of a key %s, and still accepts tokens of other keys in the key set',
  async (_, change) => {
    const { kid: _kid, ...changed } = { ...own.jwk, ...change(own), kid: 'own' };
    const set = [
      { ...changed, kid: 'own' },
      { ...other.jwk, kid: 'other' },
    ];
    expect(await judge(set, tokenBy(own))).toMatchObject(REFUSED);
    expect(await judge(set, tokenBy(other, { kid: 'other' }))).toMatchObject(LET_IN);
  },
);

test.each([512, 1024])(
  'the gateway accepts no token of an RSA key of %i bits, and still accepts tokens of other keys in the key set',
  async bits => {
    const weak = await rsaKey(bits);
    const set = [weak.jwk, { ...other.jwk, kid: 'other' }];
    expect(await judge(set, tokenBy(weak))).toMatchObject(REFUSED);
    expect(await judge(set, tokenBy(other, { kid: 'other' }))).toMatchObject(LET_IN);
  },
);

test.each<[what: string, set: () => readonly object[], answer: object]>([
  ['two keys of the same id', () => [own.jwk, { ...other.jwk, kid: 'own' }], REFUSED],
  ['the same key twice', () => [own.jwk, own.jwk], REFUSED],
  ['a key for encryption of the same id', () => [{ ...other.jwk, kid: 'own', use: 'enc' }, own.jwk], LET_IN],
  ['a key of another family of the same id', () => [own.jwk, { ...(idp.keys[1] as object), kid: 'own' }], LET_IN],
  ['an id that is a number', () => [{ ...own.jwk, kid: 7 }, other.jwk], REFUSED],
  ['entries that are not keys', () => [null, 7, 'x', [], {}, own.jwk] as readonly object[], LET_IN],
])(
  'with %s in the key set, the gateway accepts a token only if exactly one usable key has the key id of the token',
  async (_, set, answer) => {
    expect(await judge(set(), tokenBy(own))).toMatchObject(answer);
  },
);

test.each<[what: string, header: object]>([
  ['a path', { kid: '../../../../dev/null' }],
  ['a URL', { kid: 'https://elsewhere.example/jwks' }],
  ['a query', { kid: "own' OR '1'='1" }],
  ['the name of a JavaScript object member', { kid: 'constructor' }],
  ['a long text', { kid: 'k'.repeat(5_000) }],
])('the gateway refuses a token whose key id is %s with the error that its key is unknown', async (_, header) => {
  expect(await judge([own.jwk], tokenBy(own, header))).toMatchObject({
    ...REFUSED,
    text: 'the token is signed with an unknown key',
  });
  expect(idp.server.requests.map(({ path }) => path).filter(path => !/^\/(jwks|\.well-known)/.test(path))).toEqual([]);
});

test.each<[what: string, header: () => object]>([
  ['a certificate of its own', () => ({ x5c: ['MIIB'] })],
  ['a fingerprint of a certificate', () => ({ x5t: 'AAAA', 'x5t#S256': 'AAAA' })],
  ['a key of its own', () => ({ jwk: other.jwk })],
])('the gateway verifies a token with %s in its header only by keys that the provider publishes', async (_, header) => {
  expect(await judge([own.jwk], tokenBy(own, header()))).toMatchObject(LET_IN);
  expect(await judge([own.jwk], tokenBy(other, header()))).toMatchObject(REFUSED);
});

test.each<[what: string, token: () => Promise<string> | string]>([
  ['with claims that are not encoded', () => tokenBy(own, { b64: false, crit: ['b64'] })],
  ['with an unknown critical extension', () => tokenBy(own, { crit: ['exp'], exp: 1 })],
  ['with an empty list of critical extensions', () => tokenBy(own, { crit: [] })],
  ['that is encrypted', () => ['eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0', '', 'AAAA', 'AAAA', 'AAAA'].join('.')],
  ['that is nested in another token', () => nested()],
  [
    'in the JSON serialization',
    () => Buffer.from(JSON.stringify({ payload: 'e30', signatures: [] })).toString('base64url'),
  ],
  ['whose header has a member twice', () => twice()],
])('the gateway refuses a token %s', async (_, token) => {
  expect(await judge([own.jwk], await token())).toMatchObject(REFUSED);
});

function nested(): string {
  const inner = tokenBy(own);
  const input = `${Buffer.from('{"alg":"RS256","kid":"own","cty":"JWT"}').toString('base64url')}.${Buffer.from(inner).toString('base64url')}`;
  return `${input}.${sign('sha256', Buffer.from(input), own.privateKey).toString('base64url')}`;
}

/** The last one of two members counts for `JSON.parse`: no algorithm that is not accepted gets past it. */
function twice(): string {
  const header = Buffer.from('{"alg":"RS256","kid":"own","alg":"none"}').toString('base64url');
  const input = `${header}.${Buffer.from(JSON.stringify(goodClaims(idp.issuer))).toString('base64url')}`;
  return `${input}.${sign('sha256', Buffer.from(input), own.privateKey).toString('base64url')}`;
}

test('the gateway refuses a token that is signed with another algorithm than its key declares', async () => {
  const pss = (await generateKeyPair('PS256', { extractable: true })).privateKey;
  const key = createPrivateKey({ key: (await exportJWK(pss)) as never, format: 'jwk' });
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...jwk } = await exportJWK(pss);
  expect(await judge([{ ...jwk, kid: 'own', alg: 'PS256' }], tokenBy({ jwk, privateKey: key }))).toMatchObject(REFUSED);
});

test('a thousand tokens with different key ids cost a provider a few requests', async () => {
  idp.answers.delete('/jwks');
  const auth = gate.make(authPlan([providerPlan(idp)]));
  expect(await attempt(auth, await idp.sign())).toMatchObject(LET_IN);
  const before = idp.count('/jwks');
  const startedAt = performance.now();
  // No signature is looked at without a key.
  const tokens = Array.from({ length: 1_000 }, (_, at) =>
    compact({ alg: 'RS256', kid: `made-up-${at}` }, goodClaims(idp.issuer), Buffer.alloc(256)),
  );
  const attempts = tokens.map(token => attempt(auth, token));
  for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject(REFUSED);
  // An unknown key id leads to a request every ten seconds, and a busy machine takes longer than that.
  const intervals = 1 + Math.floor((performance.now() - startedAt) / 10_000);
  expect(idp.count('/jwks') - before).toBeLessThanOrEqual(5 * intervals);
  expect(await attempt(auth, await idp.sign())).toMatchObject(LET_IN);
});
