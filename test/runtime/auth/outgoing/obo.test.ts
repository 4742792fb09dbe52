/** The on-behalf-of grant of Microsoft's directory. */
import { afterEach, describe, expect, test } from 'vitest';
import type { OboPlan } from '../../../../schemas/index.ts';
import { HeldTokens } from '../../../support/held-tokens.ts';
import { BASIC, Bench, CALL, CALLER_TOKEN, CLIENT, createCaller, issued, refusal } from './harness.ts';

const bench = new Bench();
afterEach(() => bench.close());

const plan = (tokenUrl: string, overrides: Partial<OboPlan> = {}): OboPlan => ({
  type: 'obo',
  tokenUrl,
  client: CLIENT,
  audience: null,
  scopes: [],
  subject: { type: 'caller' },
  cacheSkewSeconds: 120,
  ...overrides,
});

/** The directory does not state the type of the issued token. */
const answered = (token: string, expires_in = 3600) => issued(token, { issued_token_type: undefined, expires_in });

const MINIMUM = [
  ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  ['assertion', CALLER_TOKEN],
  ['requested_token_use', 'on_behalf_of'],
];

test.each<[string, Partial<OboPlan>, readonly string[][]]>([
  ['neither audience nor scopes', {}, []],
  ['an audience', { audience: 'api://jira' }, [['scope', 'api://jira/.default']]],
  ['scopes', { scopes: ['api://jira/read', 'offline_access'] }, [['scope', 'api://jira/read offline_access']]],
  ['an audience and scopes', { audience: 'api://other', scopes: ['api://jira/read'] }, [['scope', 'api://jira/read']]],
])('an obo request asks for the scope of the plan: %s', async (_, overrides, added) => {
  const endpoint = await bench.endpoint(answered('new'));
  const credential = await bench.credential(plan(endpoint.url, overrides));
  expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer new']);
  expect(endpoint.received[0]?.form).toEqual([...MINIMUM, ...added]);
  expect(endpoint.received[0]?.headers.authorization).toBe(BASIC);
});

test('an obo request sends no client id and no client secret if the plan has no client', async () => {
  const endpoint = await bench.endpoint(answered('new'));
  await (await bench.credential(plan(endpoint.url, { client: null }))).getHeaders(CALL);
  expect(endpoint.received[0]?.form).toEqual(MINIMUM);
  expect(endpoint.received[0]?.headers.authorization).toBeUndefined();
});

test('an obo request sends the token of an upstream as the assertion', async () => {
  const endpoint = await bench.endpoint(answered('new'));
  const identity = createCaller({
    upstreamTokens: new HeldTokens([['entra', { accessToken: 'upstream', idToken: null, expiresAt: null }]]),
  });
  const subject = { type: 'upstream', provider: 'entra' } as const;
  await (await bench.credential(plan(endpoint.url, { subject }), identity)).getHeaders(CALL);
  expect(endpoint.received[0]?.form).toContainEqual(['assertion', 'upstream']);
});

test.each([
  [120, 3479, 1],
  [120, 3480, 2],
  [0, 3599, 1],
  [0, 3600, 2],
  [3600, 0, 2],
])(
  'with cacheSkewSeconds %i, %i s after obo received a token for 3600 s, the token endpoint has received %i requests',
  async (cacheSkewSeconds, seconds, asked) => {
    const endpoint = await bench.endpoint(answered('new'));
    const identity = createCaller({ expiresAt: bench.now + 100_000_000 });
    const credential = await bench.credential(plan(endpoint.url, { cacheSkewSeconds }), identity);
    await credential.getHeaders(CALL);
    bench.now += seconds * 1000;
    await credential.getHeaders(CALL);
    expect(endpoint.received).toHaveLength(asked);
  },
);

describe('refusals', () => {
  test('the error of obo says that the caller must log in again when the provider requires an interaction with the user', async () => {
    const body = { error: 'interaction_required', error_codes: [50079], claims: '{"access_token":{}}' };
    const endpoint = await bench.endpoint({ status: 400, body });
    const error = await refusal(async () => (await bench.credential(plan(endpoint.url))).getHeaders(CALL));
    expect(error.fault).toBe('caller');
    expect(error.message).toBe(
      `obo at ${endpoint.host}: the token of the caller was refused (interaction_required); log in again`,
    );
  });

  test('the gateway refuses an obo token of another type than Bearer', async () => {
    const endpoint = await bench.endpoint(issued('new', { token_type: 'pop' }));
    const error = await refusal(async () => (await bench.credential(plan(endpoint.url))).getHeaders(CALL));
    expect(error.message).toContain('has a token_type other than Bearer');
  });

  test('the gateway has no obo credential for its own requests, which have no caller', async () => {
    expect((await bench.auth(plan('https://login.example.com/token'))).own).toBeUndefined();
  });
});
