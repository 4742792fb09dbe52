/** For cross-application access the gateway sends two requests to two servers, and is another client at each. */
import { afterEach, describe, expect, test } from 'vitest';
import { ANONYMOUS } from '../../../../runtime/auth/identity.ts';
import type { XaaPlan } from '../../../../schemas/index.ts';
import { HeldTokens } from '../../../support/held-tokens.ts';
import { type Answer, BASIC, Bench, CALL, CLIENT, createCaller, issued, refusal, START, secret } from './harness.ts';

const bench = new Bench();
afterEach(() => bench.close());

const ID_TOKEN = 'eyJhbGciOiJSUzI1NiJ9.aWQ.IDSIGNATURE';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

const held = () =>
  new HeldTokens([['okta', { accessToken: 'unused', idToken: ID_TOKEN, expiresAt: START + 3_600_000 }]]);
const ALICE = createCaller({ upstreamTokens: held() });

const ASSERTED: Answer = issued('the.id.jag', { issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300 });
const GRANTED: Answer = issued('granted', { issued_token_type: undefined });

async function place(overrides: Partial<XaaPlan['target']> = {}, scopes: readonly string[] = []) {
  const idp = await bench.endpoint(ASSERTED);
  const target = await bench.endpoint(GRANTED);
  bench.secrets.set('TARGET_SECRET', 'target secret');
  const plan: XaaPlan = {
    type: 'xaa',
    idp: { tokenUrl: idp.url, client: CLIENT },
    target: {
      tokenUrl: target.url,
      client: { id: 'at-target', secret: secret('TARGET_SECRET') },
      audience: 'https://auth.jira.example.com',
      resource: null,
      ...overrides,
    },
    scopes,
    provider: 'okta',
  };
  return { idp, target, plan };
}

const ASSERTION_MINIMUM = [
  ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'],
  ['subject_token', ID_TOKEN],
  ['subject_token_type', 'urn:ietf:params:oauth:token-type:id_token'],
  ['requested_token_type', ID_JAG],
  ['audience', 'https://auth.jira.example.com'],
];
const GRANT_MINIMUM = [
  ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ['assertion', 'the.id.jag'],
];

test.each<[string, Partial<XaaPlan['target']>, readonly string[], readonly string[][], readonly string[][]]>([
  ['without resource and scopes', {}, [], [], []],
  ['with a resource', { resource: 'https://jira/mcp' }, [], [['resource', 'https://jira/mcp']], []],
  ['with scopes', {}, ['read', 'write'], [['scope', 'read write']], [['scope', 'read write']]],
])(
  'xaa requests an identity assertion, and exchanges the assertion for a token at the target: %s',
  async (_, target, scopes, atIdp, atTarget) => {
    const placed = await place(target, scopes);
    const credential = await bench.credential(placed.plan, ALICE);
    expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer granted']);
    expect(placed.idp.received[0]?.form).toEqual([...ASSERTION_MINIMUM, ...atIdp]);
    expect(placed.idp.received[0]?.headers.authorization).toBe(BASIC);
    expect(placed.target.received[0]?.form).toEqual([...GRANT_MINIMUM, ...atTarget]);
    expect(placed.target.received[0]?.headers.authorization).toBe(`Basic ${btoa('at-target:target+secret')}`);
  },
);

test('xaa reuses a cached token, and requests a new identity assertion for each new token', async () => {
  const { idp, target, plan } = await place();
  const credential = await bench.credential(plan, ALICE);
  const sent = await credential.getHeaders(CALL);
  expect(credential.getHeaders(CALL)).toBe(sent);
  bench.now += 60_000;
  expect(credential.rejected(sent)).toBe(true);
  await credential.getHeaders(CALL);
  expect([idp.received.length, target.received.length]).toEqual([2, 2]);
});

describe('invalid assertions', () => {
  test.each([
    [
      'an access token',
      { issued_token_type: 'urn:ietf:params:oauth:token-type:access_token' },
      'an issued_token_type that is not an identity assertion',
    ],
    [
      'a token without an issued type',
      { issued_token_type: undefined },
      'an issued_token_type that is not an identity assertion',
    ],
    ['a bearer token', { issued_token_type: ID_JAG, token_type: 'Bearer' }, 'a token_type that is not N_A'],
  ])(
    'xaa sends nothing to the target when the provider returns, in place of an identity assertion, %s',
    async (_, overrides, cause) => {
      const { idp, target, plan } = await place();
      idp.answers = [issued('the.id.jag', { token_type: 'N_A', ...overrides })];
      const error = await refusal(async () => (await bench.credential(plan, ALICE)).getHeaders(CALL));
      expect(error.fault).toBe('gateway');
      expect(error.message).toContain(`at ${idp.host}: the answer has ${cause}`);
      expect(target.received).toEqual([]);
    },
  );
});

describe('errors', () => {
  test.each([
    ['idp', 'invalid_grant', 'caller', 'xaa, assertion, at'],
    ['idp', 'invalid_client', 'gateway', 'xaa, assertion, at'],
    ['target', 'invalid_grant', 'caller', 'xaa, token, at'],
    ['target', 'unauthorized_client', 'gateway', 'xaa, token, at'],
  ] as const)(
    'the error of xaa names the endpoint that refused the request: %s, %s',
    async (where, code, fault, beginning) => {
      const placed = await place();
      placed[where].answers = [{ status: 400, body: { error: code, error_description: ID_TOKEN } }];
      const upstreamTokens = held();
      const credential = await bench.credential(placed.plan, createCaller({ upstreamTokens }));
      const error = await refusal(() => credential.getHeaders(CALL));
      expect(error.fault).toBe(fault);
      expect(upstreamTokens.refusals).toEqual(fault === 'caller' ? [['okta', 'unused']] : []);
      expect(error.message).toContain(`${beginning} ${placed[where].host}`);
      expect(error.message).toContain(code);
      expect(error.message).not.toContain('IDSIGNATURE');
    },
  );
});

describe('a caller without an ID token', () => {
  const upstream = (idToken: string | null, expiresAt: number | null) =>
    createCaller({ upstreamTokens: new HeldTokens([['okta', { accessToken: 'a', idToken, expiresAt }]]) });
  test.each([
    ['who is anonymous', ANONYMOUS, 'gateway', 'the caller is anonymous'],
    ['who never signed in at the upstream', createCaller(), 'caller', 'upstream token not found'],
    [
      'who got no ID token from the upstream',
      upstream(null, null),
      'gateway',
      'issued no ID token; add openid to its scopes',
    ],
    ['whose token of the upstream has expired', upstream(ID_TOKEN, START), 'caller', 'has expired'],
  ] as const)('xaa fails for a caller %s, and sends no request', async (_, identity, fault, message) => {
    const { idp, plan } = await place();
    const error = await refusal(async () => (await bench.credential(plan, identity)).getHeaders(CALL));
    expect(error).toMatchObject({ fault, message: expect.stringContaining(message) });
    expect(idp.received).toEqual([]);
  });
});
