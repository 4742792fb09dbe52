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

/** By Node, which signs with keys that `jose` refuses. */
function tokenBy({ privateKey }: OwnKey, header: object = {}): string {
  const full = { alg: 'RS256', kid: 'own', typ: 'at+jwt', ...header };
  return compact(full, goodClaims(idp.issuer), input => sign('sha256', Buffer.from(input), privateKey));
}

/** What a gateway makes of a token that is signed by a key of a set. */
async function judge(keys: readonly unknown[], token: string): Promise<unknown> {
  idp.answers.set('/jwks', (_request, response) => sendJson(response, JSON.stringify({ keys })));
  return attempt(gate.make(authPlan([providerPlan(idp)])), token);
}

const LET_IN = { identity: { caller: { subject: 'alice' } } };
const REFUSED = { status: 401, error: 'invalid_token' };

test('a token that is signed by a key of the set is accepted', async () => {
  expect(await judge([own.jwk], tokenBy(own))).toMatchObject(LET_IN);
});

test.each<[what: string, change: (key: OwnKey) => object]>([
  ['for encryption', () => ({ use: 'enc' })],
  ['for an operation other than to verify', () => ({ key_ops: ['encrypt', 'wrapKey'] })],
  ['for another algorithm', () => ({ alg: 'PS256' })],
  ['for encryption by its algorithm', () => ({ alg: 'RSA-OAEP' })],
  ['with another exponent', () => ({ e: 'AQ' })],
  ['without its modulus', () => ({ n: undefined })],
  ['that is a secret', () => ({ kty: 'oct', k: 'c2VjcmV0' })],
  ['that is published as a whole', key => ({ ...(key.privateKey.export({ format: 'jwk' }) as object), kid: 'own' })],
])('a key %s verifies nothing, and others of its set do', async (_, change) => {
  const { kid: _kid, ...changed } = { ...own.jwk, ...change(own), kid: 'own' };
  const set = [
    { ...changed, kid: 'own' },
    { ...other.jwk, kid: 'other' },
  ];
  expect(await judge(set, tokenBy(own))).toMatchObject(REFUSED);
  expect(await judge(set, tokenBy(other, { kid: 'other' }))).toMatchObject(LET_IN);
});

test.each([512, 1024])('a key of %i bits verifies nothing, and others of its set do', async bits => {
  const weak = await rsaKey(bits);
  const set = [weak.jwk, { ...other.jwk, kid: 'other' }];
  expect(await judge(set, tokenBy(weak))).toMatchObject(REFUSED);
  expect(await judge(set, tokenBy(other, { kid: 'other' }))).toMatchObject(LET_IN);
});

test.each<[what: string, set: () => readonly object[], answer: object]>([
  ['two keys of one id', () => [own.jwk, { ...other.jwk, kid: 'own' }], REFUSED],
  ['the same key twice', () => [own.jwk, own.jwk], REFUSED],
  ['one of them for encryption', () => [{ ...other.jwk, kid: 'own', use: 'enc' }, own.jwk], LET_IN],
  ['one of another family', () => [own.jwk, { ...(idp.keys[1] as object), kid: 'own' }], LET_IN],
  ['an id that is no text', () => [{ ...own.jwk, kid: 7 }, other.jwk], REFUSED],
  ['items that are no keys', () => [null, 7, 'x', [], {}, own.jwk] as readonly object[], LET_IN],
])('a set with %s verifies only tokens with an unambiguous key', async (_, set, answer) => {
  expect(await judge(set(), tokenBy(own))).toMatchObject(answer);
});

test.each<[what: string, header: object]>([
  ['a path', { kid: '../../../../dev/null' }],
  ['a URL', { kid: 'https://elsewhere.example/jwks' }],
  ['a query', { kid: "own' OR '1'='1" }],
  ['a name that objects have', { kid: 'constructor' }],
  ['a long text', { kid: 'k'.repeat(5_000) }],
])('a token whose key id is %s counts as signed with an unknown key', async (_, header) => {
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
])('a token with %s in its header is only verified by the keys that its provider publishes', async (_, header) => {
  expect(await judge([own.jwk], tokenBy(own, header()))).toMatchObject(LET_IN);
  expect(await judge([own.jwk], tokenBy(other, header()))).toMatchObject(REFUSED);
});

test.each<[what: string, token: () => Promise<string> | string]>([
  ['with claims that are not encoded', () => tokenBy(own, { b64: false, crit: ['b64'] })],
  ['that asks for an extension that nobody has', () => tokenBy(own, { crit: ['exp'], exp: 1 })],
  ['that asks for no extension', () => tokenBy(own, { crit: [] })],
  ['that is encrypted', () => ['eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0', '', 'AAAA', 'AAAA', 'AAAA'].join('.')],
  ['within a token', () => nested()],
  [
    'in the other form of JSON',
    () => Buffer.from(JSON.stringify({ payload: 'e30', signatures: [] })).toString('base64url'),
  ],
  ['whose header has a member twice', () => twice()],
])('a token %s is refused', async (_, token) => {
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

test('a signature with another algorithm of the same key is refused', async () => {
  const pss = (await generateKeyPair('PS256', { extractable: true })).privateKey;
  const key = createPrivateKey({ key: (await exportJWK(pss)) as never, format: 'jwk' });
  const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...jwk } = await exportJWK(pss);
  expect(await judge([{ ...jwk, kid: 'own', alg: 'PS256' }], tokenBy({ jwk, privateKey: key }))).toMatchObject(REFUSED);
});

test('a thousand tokens with ids of their own cost a provider a few requests', async () => {
  idp.answers.delete('/jwks');
  const auth = gate.make(authPlan([providerPlan(idp)]));
  expect(await attempt(auth, await idp.sign())).toMatchObject(LET_IN);
  const before = idp.count('/jwks');
  // No signature is looked at without a key.
  const tokens = Array.from({ length: 1_000 }, (_, at) =>
    compact({ alg: 'RS256', kid: `made-up-${at}` }, goodClaims(idp.issuer), Buffer.alloc(256)),
  );
  const attempts = tokens.map(token => attempt(auth, token));
  for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject(REFUSED);
  expect(idp.count('/jwks') - before).toBeLessThanOrEqual(5);
  expect(await attempt(auth, await idp.sign())).toMatchObject(LET_IN);
});
