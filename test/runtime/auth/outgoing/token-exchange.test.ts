/** Token exchange (RFC 8693): the requests that the gateway sends, and the responses that it accepts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createLogger } from '#runtime';
import { ANONYMOUS } from '../../../../runtime/auth/identity.ts';
import { createOutgoingAuth } from '../../../../runtime/auth/outgoing/outgoing-auth.ts';
import { Secrets } from '../../../../runtime/auth/secrets.ts';
import type { TokenExchangePlan } from '../../../../schemas/index.ts';
import { HeldTokens } from '../../../support/held-tokens.ts';
import {
  type Answer,
  BASIC,
  Bench,
  CALL,
  CALLER_TOKEN,
  CLIENT,
  createCaller,
  type Endpoint,
  issued,
  refusal,
  START,
} from './harness.ts';

const bench = new Bench();
afterEach(() => bench.close());

const GRANT = ['grant_type', 'urn:ietf:params:oauth:grant-type:token-exchange'];
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const MINIMUM = [
  GRANT,
  ['subject_token', CALLER_TOKEN],
  ['subject_token_type', ACCESS_TOKEN],
  ['requested_token_type', ACCESS_TOKEN],
];

function plan(tokenUrl: string, overrides: Partial<TokenExchangePlan> = {}): TokenExchangePlan {
  return {
    type: 'token_exchange',
    tokenUrl,
    client: null,
    audience: null,
    resource: null,
    scopes: [],
    subjectTokenType: ACCESS_TOKEN,
    subject: { type: 'caller' },
    ...overrides,
  };
}

const UPSTREAM = createCaller({
  upstreamTokens: new HeldTokens([['github', { accessToken: 'gho_1', idToken: null, expiresAt: START + 60_000 }]]),
});

describe('the token exchange request', () => {
  test.each<[string, Partial<TokenExchangePlan>, readonly string[][], string | undefined]>([
    ['only the subject token', {}, [], undefined],
    ['an audience', { audience: 'api://jira' }, [['audience', 'api://jira']], undefined],
    ['a resource', { resource: 'https://jira/' }, [['resource', 'https://jira/']], undefined],
    ['scopes', { scopes: ['read', 'write'] }, [['scope', 'read write']], undefined],
    ['a client', { client: CLIENT }, [], BASIC],
    [
      'all parameters',
      { audience: 'a&b=c', resource: 'r', scopes: ['s'], client: CLIENT },
      [
        ['audience', 'a&b=c'],
        ['resource', 'r'],
        ['scope', 's'],
      ],
      BASIC,
    ],
  ])('a token exchange request has the parameters of the plan: %s', async (_, overrides, added, authorization) => {
    const endpoint = await bench.endpoint(issued('new'));
    const credential = await bench.credential(plan(endpoint.url, overrides));
    expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer new']);
    expect(endpoint.received).toHaveLength(1);
    expect(endpoint.received[0]?.form).toEqual([...MINIMUM, ...added]);
    expect(endpoint.received[0]?.headers).toMatchObject({
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    });
    expect(endpoint.received[0]?.headers.authorization).toBe(authorization);
  });

  test.each(['id_token', 'jwt'])('a token exchange request names the type of the subject token: %s', async type => {
    const subjectTokenType = `urn:ietf:params:oauth:token-type:${type}`;
    const endpoint = await bench.endpoint(issued('new'));
    await (await bench.credential(plan(endpoint.url, { subjectTokenType }))).getHeaders(CALL);
    expect(endpoint.received[0]?.form).toContainEqual(['subject_token_type', subjectTokenType]);
  });

  test('a token exchange request can send the token of an upstream as the subject token', async () => {
    const endpoint = await bench.endpoint(issued('new'));
    const subject = { type: 'upstream', provider: 'github' } as const;
    await (await bench.credential(plan(endpoint.url, { subject }), UPSTREAM)).getHeaders(CALL);
    expect(endpoint.received[0]?.form).toContainEqual(['subject_token', 'gho_1']);
  });

  test('a token exchange request uses the present client secret', async () => {
    const endpoint = await bench.endpoint(issued('new', { expires_in: 0 }));
    const credential = await bench.credential(plan(endpoint.url, { client: CLIENT }));
    await credential.getHeaders(CALL);
    bench.secrets.set('CLIENT_SECRET', 'rotated');
    await credential.getHeaders(CALL);
    expect(endpoint.received[1]?.headers.authorization).toBe(`Basic ${btoa('gate-way%3A1:rotated')}`);
  });

  describe('with a client secret in a mounted file', () => {
    const NO_CLIENT = { status: 401, body: { error: 'invalid_client' } };

    async function mounted(...answers: Answer[]) {
      const folder = mkdtempSync(join(tmpdir(), 'lintel-client-'));
      bench.own({ close: async () => rmSync(folder, { recursive: true }) });
      const file = join(folder, 'secret');
      writeFileSync(file, 'first');
      const log = createLogger('silent');
      const secrets = new Secrets({ log });
      bench.own({ close: async () => secrets.close() });
      const endpoint = await bench.endpoint();
      endpoint.answers = answers;
      const exchange = plan(endpoint.url, { client: { id: 'gw', secret: { env: null, file } } });
      const auth = bench.own(await createOutgoingAuth(exchange, { backend: 'jira', secrets, log, now: () => START }));
      return { endpoint, file, ask: async () => auth.getCredential(() => createCaller({})).getHeaders(CALL) };
    }

    const sent = ({ received }: Endpoint) => received.map(({ headers }) => headers.authorization);

    test('the gateway repeats a refused token exchange request with the new client secret if the secret file has changed', async () => {
      const { endpoint, file, ask } = await mounted(NO_CLIENT, issued('new'));
      writeFileSync(file, 'second');
      expect(await ask()).toEqual(['Authorization', 'Bearer new']);
      expect(sent(endpoint)).toEqual([`Basic ${btoa('gw:first')}`, `Basic ${btoa('gw:second')}`]);
    });

    test('the gateway does not repeat a token exchange request after its client secret was refused and has not changed', async () => {
      const { endpoint, ask } = await mounted(NO_CLIENT);
      expect((await refusal(ask)).message).toContain("the gateway's client was refused");
      expect(sent(endpoint)).toHaveLength(1);
    });
  });
});

describe('the token exchange response', () => {
  test.each<[string, Record<string, unknown>]>([
    ['the token type in another case', { token_type: 'bEARER' }],
    ['the issued type jwt', { issued_token_type: 'urn:ietf:params:oauth:token-type:jwt' }],
    ['an additional ID token', { id_token: 'of.another.issuer' }],
    ['a lifetime that is a string', { expires_in: '3600' }],
    ['a lifetime that is not a number', { expires_in: 'soon' }],
  ])('the gateway accepts a token exchange response with %s', async (_, overrides) => {
    const endpoint = await bench.endpoint(issued('new', overrides));
    const credential = await bench.credential(plan(endpoint.url));
    expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer new']);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no token', { access_token: undefined }, 'has no usable access_token'],
    ['an empty token', { access_token: '' }, 'has no usable access_token'],
    ['a token with a line break', { access_token: 'a\r\nX-Admin: 1' }, 'has no usable access_token'],
    ['a token with a blank', { access_token: 'a b' }, 'has no usable access_token'],
    ['a token that is a number', { access_token: 7 }, 'has no usable access_token'],
    ['no token type', { token_type: undefined }, 'has no token_type'],
    ['another token type', { token_type: 'DPoP' }, 'has a token_type other than Bearer'],
    ['no issued type', { issued_token_type: undefined }, 'has no issued_token_type'],
    [
      'a refresh token',
      { issued_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'has an issued_token_type that is not an access token',
    ],
  ])('the gateway refuses a token exchange response with %s', async (_, overrides, problem) => {
    const endpoint = await bench.endpoint(issued('new', overrides));
    const credential = await bench.credential(plan(endpoint.url));
    const error = await refusal(() => credential.getHeaders(CALL));
    expect(error.fault).toBe('gateway');
    expect(error.message).toBe(`token_exchange at ${endpoint.host}: the answer ${problem}`);
  });
});

describe('a caller without a token', () => {
  const subject = { type: 'upstream', provider: 'github' } as const;
  test.each([
    ['anonymous', ANONYMOUS, {}, 'gateway', 'the caller is anonymous'],
    ['anonymous, with the token of an upstream', ANONYMOUS, { subject }, 'gateway', 'the caller is anonymous'],
    ['known, without a token', createCaller({ token: null }), {}, 'gateway', 'the caller has no token'],
    [
      'known, with an expired token',
      createCaller({ expiresAt: START }),
      {},
      'caller',
      'the token of the caller has expired',
    ],
    ['known, without a token of the upstream', createCaller(), { subject }, 'caller', 'upstream token not found'],
    [
      'known, with an expired token of the upstream',
      createCaller({
        upstreamTokens: new HeldTokens([['github', { accessToken: 'gho_1', idToken: null, expiresAt: START }]]),
      }),
      { subject },
      'caller',
      'the token of upstream "github" has expired',
    ],
  ] as const)(
    'token_exchange fails for a caller who is %s, and sends no request',
    async (_, identity, overrides, fault, message) => {
      const endpoint = await bench.endpoint(issued('new'));
      const credential = await bench.credential(plan(endpoint.url, { client: CLIENT, ...overrides }), identity);
      const error = await refusal(() => credential.getHeaders(CALL));
      expect(error).toMatchObject({ fault, message: expect.stringContaining(message) });
      expect(endpoint.received).toEqual([]);
    },
  );
});

describe('the account of the gateway itself', () => {
  test('for requests of its own, the gateway gets a client_credentials token with the client of the token exchange plan', async () => {
    const endpoint = await bench.endpoint({ body: { access_token: 'own', token_type: 'Bearer', expires_in: 60 } });
    const auth = await bench.auth(plan(endpoint.url, { client: CLIENT, audience: 'a', resource: 'r', scopes: ['s'] }));
    expect(await auth.own?.getHeaders(CALL)).toEqual(['Authorization', 'Bearer own']);
    await auth.own?.getHeaders(CALL);
    expect(endpoint.received).toHaveLength(1);
    expect(endpoint.received[0]?.headers.authorization).toBe(BASIC);
    expect(endpoint.received[0]?.form).toEqual([
      ['grant_type', 'client_credentials'],
      ['audience', 'a'],
      ['resource', 'r'],
      ['scope', 's'],
    ]);
  });

  test('without a client in the token exchange plan, the gateway has no credential for requests of its own', async () => {
    expect((await bench.auth(plan('https://idp.example.com/token'))).own).toBeUndefined();
  });
});

test.each(['ftp://idp.example.com/token', 'idp.example.com', 'https://me:pw@idp.example.com/token'])(
  'token_exchange refuses the endpoint %s',
  async url => {
    const error = await refusal(() => bench.auth(plan(url)));
    expect(error.message).toBe('token_exchange: the endpoint must be an http or https URL without credentials');
  },
);
