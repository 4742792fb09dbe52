/** Tokens are fetched once, cached until they are about to expire, and dropped when a backend refuses them. */
import { afterEach, describe, expect, test } from 'vitest';
import { createIdentity } from '../../../../runtime/auth/identity.ts';
import { ExpiringCache } from '../../../../runtime/auth/outgoing/expiring-cache.ts';
import type { OutgoingAuthPlan } from '../../../../schemas/index.ts';
import { Bench, CALL, createCaller, type Endpoint, issued, refusal, START } from './harness.ts';

const bench = new Bench();
afterEach(() => bench.close());

const plan = (tokenUrl: string): OutgoingAuthPlan => ({
  type: 'token_exchange',
  tokenUrl,
  client: null,
  audience: 'jira',
  resource: null,
  scopes: [],
  subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token',
  subject: { type: 'caller' },
});

const numbered = (lifetime?: number) =>
  Array.from({ length: 9 }, (_, index) => issued(`t${index}`, { expires_in: lifetime }));

async function numberedEndpoint(lifetime?: number): Promise<Endpoint> {
  const endpoint = await bench.endpoint();
  endpoint.answers = numbered(lifetime);
  return endpoint;
}

describe('the number of requests', () => {
  test('the gateway requests one token for a hundred concurrent calls of one caller in many sessions', async () => {
    const endpoint = await numberedEndpoint(3600);
    const auth = await bench.auth(plan(endpoint.url));
    const calls = Array.from({ length: 100 }, () => auth.getCredential(() => createCaller()).getHeaders(CALL));
    const sent = await Promise.all(calls);
    expect(new Set(sent.map(headers => headers.join(' ')))).toEqual(new Set(['Authorization Bearer t0']));
    expect(endpoint.received).toHaveLength(1);
  });

  test('the gateway sends one token exchange request for a hundred concurrent calls, even if the exchange fails', async () => {
    const endpoint = await bench.endpoint({ status: 500, body: '' });
    const auth = await bench.auth(plan(endpoint.url));
    const calls = Array.from({ length: 100 }, () =>
      refusal(() => auth.getCredential(() => createCaller()).getHeaders(CALL)),
    );
    await Promise.all(calls);
    expect(endpoint.received).toHaveLength(1);
  });

  test('the gateway uses a cached valid token at once, without a request to the token endpoint', async () => {
    const endpoint = await numberedEndpoint(3600);
    const credential = await bench.credential(plan(endpoint.url));
    const first = await credential.getHeaders(CALL);
    expect(credential.getHeaders(CALL)).toBe(first);
  });

  test.each([
    ['not yet 31 seconds before its expiry', 3600, 3569, 1],
    ['thirty seconds before its expiry', 3600, 3570, 2],
    ['at once if it lives less than thirty seconds', 20, 0, 2],
    ['not within a minute if it has no expiry', undefined, 59, 1],
    ['after a minute if it has no expiry', undefined, 60, 2],
  ])(
    'the gateway exchanges a token again before its exchanged token expires: %s',
    async (_, lifetime, seconds, asked) => {
      const endpoint = await numberedEndpoint(lifetime);
      const credential = await bench.credential(plan(endpoint.url));
      await credential.getHeaders(CALL);
      bench.now += seconds * 1000;
      expect(await credential.getHeaders(CALL)).toEqual(['Authorization', `Bearer t${asked - 1}`]);
      expect(endpoint.received).toHaveLength(asked);
    },
  );

  test('the gateway uses an exchanged token without an expiry only until the token of the caller expires', async () => {
    const endpoint = await numberedEndpoint(undefined);
    let identity = createCaller({ expiresAt: START + 10_000 });
    const credential = (await bench.auth(plan(endpoint.url))).getCredential(() => identity);
    await credential.getHeaders(CALL);
    bench.now += 10_000;
    expect(await refusal(() => credential.getHeaders(CALL))).toMatchObject({ fault: 'caller' });
    identity = createCaller({ expiresAt: START + 20_000 });
    expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer t1']);
  });
});

describe('a cached token', () => {
  test.each([
    ['another subject', createCaller({ subject: 'bob' })],
    ['the same subject of another issuer', createCaller({ issuer: 'https://other.example.com' })],
    ['the same caller with a renewed token', createCaller({ token: 'renewed' })],
    [
      'another subject with the same token',
      createCaller({ subject: 'bob', token: createCaller().caller?.token ?? '' }),
    ],
  ])('a cached token is not shared with %s', async (_, other) => {
    const endpoint = await numberedEndpoint(3600);
    const auth = await bench.auth(plan(endpoint.url));
    expect(await auth.getCredential(() => createCaller()).getHeaders(CALL)).toEqual(['Authorization', 'Bearer t0']);
    expect(await auth.getCredential(() => other).getHeaders(CALL)).toEqual(['Authorization', 'Bearer t1']);
    expect(await auth.getCredential(() => createCaller()).getHeaders(CALL)).toEqual(['Authorization', 'Bearer t0']);
  });

  test('when the token of a caller is renewed in a session, the gateway exchanges the renewed token', async () => {
    const endpoint = await numberedEndpoint(3600);
    let identity = createCaller();
    const credential = (await bench.auth(plan(endpoint.url))).getCredential(() => identity);
    await credential.getHeaders(CALL);
    identity = createCaller({ token: 'renewed' });
    await credential.getHeaders(CALL);
    expect(endpoint.received[1]?.form).toContainEqual(['subject_token', 'renewed']);
  });

  test('callers with different issuers or subjects never share a cached token, even if their names contain quotes and commas', async () => {
    const endpoint = await numberedEndpoint(3600);
    const auth = await bench.auth(plan(endpoint.url));
    const base = createCaller().caller;
    if (base === undefined) throw new Error('no caller');
    for (const [issuer, subject] of [
      ['a"', 'b'],
      ['a', '"b'],
      ['a","b', ''],
      ['own', ''],
    ] as const) {
      await auth.getCredential(() => createIdentity({ ...base, issuer, subject })).getHeaders(CALL);
    }
    expect(endpoint.received).toHaveLength(4);
  });
});

describe('a refused token', () => {
  test('the gateway renews a token that a backend refuses, and does not renew it once more if the backend also refuses the new token', async () => {
    const endpoint = await numberedEndpoint(3600);
    const credential = await bench.credential(plan(endpoint.url));
    const sent = await credential.getHeaders(CALL);
    bench.now += 60_000;
    expect(credential.rejected(sent)).toBe(true);
    const again = await credential.getHeaders(CALL);
    expect(again).toEqual(['Authorization', 'Bearer t1']);
    expect(credential.rejected(again)).toBe(false);
    expect(endpoint.received).toHaveLength(2);
  });

  test('the gateway does not renew a token that a backend refuses a moment after the gateway received it', async () => {
    const endpoint = await numberedEndpoint(3600);
    const credential = await bench.credential(plan(endpoint.url));
    expect(credential.rejected(await credential.getHeaders(CALL))).toBe(false);
    expect(endpoint.received).toHaveLength(1);
  });

  test('the gateway exchanges a token again once when a backend refuses it for many calls', async () => {
    const endpoint = await numberedEndpoint(3600);
    const auth = await bench.auth(plan(endpoint.url));
    const sessions = Array.from({ length: 50 }, () => auth.getCredential(() => createCaller()));
    const sent = await Promise.all(sessions.map(session => session.getHeaders(CALL)));
    bench.now += 60_000;
    for (const [index, session] of sessions.entries()) {
      expect(session.rejected(sent[index] ?? [])).toBe(true);
      expect(await session.getHeaders(CALL)).toEqual(['Authorization', 'Bearer t1']);
    }
    expect(endpoint.received).toHaveLength(2);
  });

  test('the gateway also renews a refused token that it uses for its own requests', async () => {
    const endpoint = await numberedEndpoint(3600);
    const auth = await bench.auth({
      ...plan(endpoint.url),
      client: { id: 'c', secret: { env: 'CLIENT_SECRET', file: null } },
    } as OutgoingAuthPlan);
    const sent = (await auth.own?.getHeaders(CALL)) ?? [];
    bench.now += 60_000;
    expect(auth.own?.rejected(sent)).toBe(true);
    expect(await auth.own?.getHeaders(CALL)).toEqual(['Authorization', 'Bearer t1']);
  });
});

describe('the cache of tokens', () => {
  const load =
    (value: string, usableUntil = START + 1000) =>
    async () => ({ value, usableUntil });

  test('the cache of tokens has a limit, and drops the tokens that were used least recently', async () => {
    const cache = new ExpiringCache<string>(3, () => START);
    for (const key of ['a', 'b', 'c']) await cache.obtain(key, load(key));
    await cache.obtain('a', load('unused'));
    await cache.obtain('d', load('d'));
    expect(cache.size).toBe(3);
    expect(cache.obtain('a', load('again'))).toBe('a');
    expect(await cache.obtain('b', load('again'))).toBe('again');
  });

  test('the cache of tokens drops expired tokens first', async () => {
    let now = START;
    const cache = new ExpiringCache<string>(100, () => now);
    for (const key of ['a', 'b', 'c']) await cache.obtain(key, load(key));
    now += 1000;
    await cache.obtain('d', load('d', now + 1000));
    expect(cache.size).toBe(1);
  });
});
