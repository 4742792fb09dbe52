/** JWTs that cannot be verified with published keys: the issuing provider is queried, and restrictive claims in the token still count. */
import { afterEach, describe, expect, test } from 'vitest';
import { sendJson } from '../../../support/raw-server.ts';
import { attempt, authPlan, Gate, providerPlan } from './harness.ts';
import { compact, goodClaims, hmac, type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';

const gate = new Gate();
afterEach(() => gate.dispose());

const now = (): number => Math.floor(Date.now() / 1000);

async function start(answer: object = {}) {
  const idp = await gate.keep(startScriptedProvider());
  idp.answers.set('/introspect', (_request, response) =>
    sendJson(response, JSON.stringify({ active: true, ...goodClaims(idp.issuer, { sub: 'carol' }), ...answer })),
  );
  const introspection = { url: idp.introspectionUrl, credentials: { type: 'none' } } as const;
  return { idp, auth: gate.make(authPlan([providerPlan(idp, { introspection })])) };
}

type Sign = (idp: ScriptedProvider) => string | Promise<string>;

describe('with introspection', () => {
  test.each<[string, Sign]>([
    ['a token of an unknown key', idp => idp.sign({}, { kid: 'other' })],
    ['a token with a wrong signature', idp => idp.sign({}, {}, 'stranger')],
    [
      'a token signed by a shared secret',
      idp => compact({ alg: 'HS256', kid: 'rsa' }, goodClaims(idp.issuer), hmac('secret')),
    ],
    ['a token signed by EdDSA', idp => compact({ alg: 'EdDSA' }, goodClaims(idp.issuer), Buffer.alloc(64))],
    ['a token without an audience', idp => idp.sign({ aud: undefined })],
    ['a token without a subject', idp => idp.sign({ sub: undefined })],
    ['a token without an expiry', idp => idp.sign({ exp: undefined })],
  ])(
    'the gateway lets the provider introspect a JWT that the gateway cannot verify itself: %s',
    async (_name, sign) => {
      const { idp, auth } = await start();
      expect(await attempt(auth, await sign(idp))).toMatchObject({
        identity: { caller: { issuer: idp.issuer, subject: 'carol' } },
      });
      expect(idp.count('/introspect')).toBe(1);
    },
  );

  test('the gateway introspects a JWT at the provider when it cannot fetch the keys of the provider', async () => {
    const { idp, auth } = await start();
    idp.answers.set('/jwks', (_request, response) => void response.writeHead(500).end());
    expect(await attempt(auth, await idp.sign())).toHaveProperty('identity');
  });
});

describe('without introspection', () => {
  test.each<[string, Sign, object]>([
    ['a valid token', idp => idp.sign(), { identity: { caller: { subject: 'alice' } } }],
    ['an expired token', idp => idp.sign({ exp: now() - 60 }, { kid: 'other' }), { text: 'the token has expired' }],
    ['a token for another audience', idp => idp.sign({ aud: 'other' }, { kid: 'other' }), { status: 401 }],
    ['a token of another issuer', idp => idp.sign({ iss: 'https://evil.example' }), { status: 401 }],
    ['an ID token', idp => idp.sign({ nonce: 'n' }), { text: 'the token is not an access token' }],
    ['an ID token of an unknown key', idp => idp.sign({ nonce: 'n' }, { kid: 'other' }), { status: 401 }],
    ['a logout token', idp => idp.sign({}, { typ: 'logout+jwt' }), { status: 401 }],
    ['a token that is bound to a key', idp => idp.sign({ cnf: { jkt: 'x' } }, { kid: 'other' }), { status: 401 }],
  ])('the gateway accepts or refuses a JWT itself, without introspection: %s', async (_name, sign, outcome) => {
    const { idp, auth } = await start();
    expect(await attempt(auth, await sign(idp))).toMatchObject(outcome);
    expect(idp.count('/introspect')).toBe(0);
  });
});

describe('an introspection response about a JWT', () => {
  test.each<[string, object]>([
    ['inactive', { active: false }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another audience', { aud: 'other' }],
    ['without an audience', { aud: undefined }],
    ['expired', { exp: 1 }],
    ['without an expiry', { exp: undefined }],
    ['of another token type', { token_type: 'N_A' }],
  ])('the gateway refuses a JWT whose introspection response fails a check: %s', async (_name, answer) => {
    const { idp, auth } = await start(answer);
    expect(await attempt(auth, await idp.sign({}, { kid: 'other' }))).toMatchObject({
      status: 401,
      text: 'the token is signed with an unknown key',
    });
    expect(idp.count('/introspect')).toBe(1);
  });

  test('the gateway answers 503 to a JWT that no provider can introspect', async () => {
    const { idp, auth } = await start();
    idp.answers.set('/introspect', (_request, response) => void response.writeHead(500).end());
    expect(await attempt(auth, await idp.sign({}, { kid: 'other' }))).toMatchObject({ status: 503 });
  });
});
