/** A token endpoint that issues no token: who is responsible, and the message about it. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { OutgoingAuthPlan } from '../../../../schemas/index.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../../support/tls-fixture.ts';
import {
  type Answer,
  Bench,
  CALL,
  CALLER_TOKEN,
  CLIENT,
  CLIENT_SECRET,
  createCaller,
  issued,
  refusal,
} from './harness.ts';

const bench = new Bench();
afterEach(() => bench.close());

const plan = (tokenUrl: string): OutgoingAuthPlan => ({
  type: 'token_exchange',
  tokenUrl,
  client: CLIENT,
  audience: 'jira',
  resource: null,
  scopes: [],
  subjectTokenType: 'urn:ietf:params:oauth:token-type:access_token',
  subject: { type: 'caller' },
});

const oauthError = (status: number, error: unknown, headers = {}): Answer => ({
  status,
  headers,
  body: { error, error_description: `the token ${CALLER_TOKEN} is bad` },
});

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="idp"' };

describe.each<[string, Answer, 'caller' | 'gateway', string]>([
  [
    'invalid_grant',
    oauthError(400, 'invalid_grant'),
    'caller',
    'the token of the caller was refused (invalid_grant); log in again',
  ],
  [
    'invalid_token',
    oauthError(400, 'invalid_token'),
    'caller',
    'the token of the caller was refused (invalid_token); log in again',
  ],
  [
    'interaction_required',
    oauthError(400, 'interaction_required'),
    'caller',
    'the token of the caller was refused (interaction_required); log in again',
  ],
  [
    'invalid_client',
    oauthError(401, 'invalid_client', CHALLENGE),
    'gateway',
    "the gateway's client was refused (invalid_client); check its id and secret",
  ],
  [
    '401 without a code',
    { status: 401, body: '' },
    'gateway',
    "the gateway's client was refused (HTTP 401); check its id and secret",
  ],
  ['invalid_target', oauthError(400, 'invalid_target'), 'gateway', 'refused (invalid_target)'],
  ['invalid_scope', oauthError(400, 'invalid_scope'), 'gateway', 'refused (invalid_scope)'],
  ['invalid_request', oauthError(400, 'invalid_request'), 'gateway', 'refused (invalid_request)'],
  ['a code that repeats the token', oauthError(400, CALLER_TOKEN), 'gateway', 'refused (HTTP 400)'],
  ['a code with line breaks', oauthError(400, 'invalid_grant\nlevel=fatal'), 'gateway', 'refused (HTTP 400)'],
  ['a code that never ends', oauthError(400, `invalid_${'x'.repeat(1000)}`), 'gateway', 'refused (HTTP 400)'],
  ['a code that is no text', oauthError(400, { invalid_grant: true }), 'gateway', 'refused (HTTP 400)'],
  ['500', { status: 500, body: 'Internal Server Error' }, 'gateway', 'refused (HTTP 500)'],
  [
    '503 with JSON',
    { status: 503, body: { error: 'temporarily_unavailable' } },
    'gateway',
    'refused (temporarily_unavailable)',
  ],
  ['201', { ...issued('new'), status: 201 }, 'gateway', 'refused (HTTP 201)'],
  ['garbage', { body: '<html>Sign in</html>' }, 'gateway', 'the answer is not a JSON object'],
  ['a list', { body: [1] }, 'gateway', 'the answer is not a JSON object'],
  ['null', { body: 'null' }, 'gateway', 'the answer is not a JSON object'],
  [
    'a body without end',
    { body: `"${'x'.repeat(200_000)}"` },
    'gateway',
    'the request failed: URL: the answer has more than 131072 bytes',
  ],
  [
    'a redirect elsewhere',
    { status: 307, body: '', headers: { Location: 'https://evil.example.com/token' } },
    'gateway',
    'answered with a redirect that may not be followed (HTTP 307)',
  ],
  [
    'a page to log in',
    { status: 302, body: '', headers: { Location: '/login' } },
    'gateway',
    'answered with a redirect that may not be followed (HTTP 302)',
  ],
])('%s', (_, answer, fault, message) => {
  test(`the error of a refused token exchange says that the fault is that of the ${fault}`, async () => {
    const endpoint = await bench.endpoint(answer);
    const credential = await bench.credential(plan(endpoint.url));
    const error = await refusal(() => credential.getHeaders(CALL));
    expect(error.message).toBe(`token_exchange at ${endpoint.host}: ${message.replace('URL', endpoint.url)}`);
    expect(error.fault).toBe(fault);
    expect(endpoint.received).toHaveLength(1);
  });

  test('the error of a refused token exchange contains no secret, and the next call exchanges the token again', async () => {
    const endpoint = await bench.endpoint(answer);
    const credential = await bench.credential(plan(endpoint.url));
    const error = await refusal(() => credential.getHeaders(CALL));
    const shown = [error.message, error.stack, JSON.stringify(error), String(error.cause), ...bench.logLines].join(
      '\n',
    );
    for (const hidden of [CALLER_TOKEN, 'SECRETSIGNATURE', CLIENT_SECRET, encodeURIComponent(CLIENT_SECRET)]) {
      expect(shown).not.toContain(hidden);
    }
    endpoint.answers = [issued('later')];
    expect(await credential.getHeaders(CALL)).toEqual(['Authorization', 'Bearer later']);
  });
});

test('a token exchange fails when the token endpoint is down', async () => {
  const endpoint = await bench.endpoint();
  await endpoint.close();
  const credential = await bench.credential(plan(endpoint.url));
  const error = await refusal(() => credential.getHeaders(CALL));
  expect(error.fault).toBe('gateway');
  expect(error.message).toBe(
    `token_exchange at ${endpoint.host}: the request failed: ${endpoint.url}: the connection failed (ECONNREFUSED)`,
  );
});

test('a token exchange fails when the token endpoint has an untrusted certificate', async () => {
  let received = 0;
  const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_request, response) => {
    received++;
    response.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  bench.own({ close: () => new Promise(resolve => server.close(() => resolve())) });
  const { port } = server.address() as AddressInfo;
  const credential = await bench.credential(plan(`https://127.0.0.1:${port}/token`));
  const error = await refusal(() => credential.getHeaders(CALL));
  expect(error.message).toContain('the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(received).toBe(0);
});

test('a token exchange fails when the token endpoint does not answer in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const endpoint = await bench.endpoint({ hangs: true });
  const credential = await bench.credential(plan(endpoint.url));
  const asking = refusal(() => credential.getHeaders(CALL));
  vi.advanceTimersByTime(10_000);
  vi.useRealTimers();
  const error = await asking;
  expect(error.fault).toBe('gateway');
  expect(error.message).toContain('no complete answer within 10000 ms');
});

test('a gateway that stops aborts its running request to a token endpoint', async () => {
  const endpoint = await bench.endpoint({ hangs: true });
  const auth = await bench.auth(plan(endpoint.url));
  const asking = refusal(() => auth.getCredential(createCaller).getHeaders(CALL));
  await auth.close();
  expect((await asking).fault).toBe('gateway');
});
