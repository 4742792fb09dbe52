/** From a caller's token to a signed request: the token service and the backend verify everything they receive. */
import { afterEach, describe, expect, test } from 'vitest';
import { ANONYMOUS } from '../../../../runtime/auth/identity.ts';
import type { OutgoingRequest } from '../../../../runtime/auth/outgoing/credential.ts';
import type { AwsStsPlan } from '../../../../schemas/index.ts';
import { HeldTokens } from '../../../support/held-tokens.ts';
import { startRawServer } from '../../../support/raw-server.ts';
import { type Answer, Bench, CALL, CALLER_TOKEN, createCaller, refusal, START } from './harness.ts';
import { expectedSignature, readAuthorization } from './sigv4.ts';

const bench = new Bench();
afterEach(() => bench.close());

const ROLE = 'arn:aws:iam::123456789012:role/tools';
const ADMIN = 'arn:aws:iam::123456789012:role/admin';
const SECRET_KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const plan = (stsUrl: string, overrides: Partial<AwsStsPlan> = {}): AwsStsPlan => ({
  type: 'aws_sts',
  region: 'eu-west-1',
  service: 'aws-mcp',
  mappings: [],
  fallbackRoleArn: ROLE,
  roleClaim: 'groups',
  sessionDurationSeconds: 3600,
  sessionNameClaim: 'sub',
  subject: { type: 'caller' },
  stsUrl,
  ...overrides,
});

/** A response of the token service, in its format. */
function assumed(number: number, overrides: Readonly<Record<string, string>> = {}): Answer {
  const members = {
    AccessKeyId: `ASIAEXAMPLE00000000${number}`,
    SecretAccessKey: SECRET_KEY,
    SessionToken: `FwoGZXIvYXdzEXAMPLE//token+${number}==`,
    Expiration: new Date(START + 3_600_000).toISOString(),
    ...overrides,
  };
  const credentials = Object.entries(members).map(([name, text]) => `      <${name}>${text}</${name}>`);
  const body = `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>alice</SubjectFromWebIdentityToken>
    <Audience>gateway</Audience>
    <AssumedRoleUser>
      <Arn>arn:aws:sts::123456789012:assumed-role/tools/alice</Arn>
      <AssumedRoleId>AROACLKWSDQRAOEXAMPLE:alice</AssumedRoleId>
    </AssumedRoleUser>
    <Credentials>
${credentials.join('\n')}
    </Credentials>
    <Provider>https://idp.example.com</Provider>
  </AssumeRoleWithWebIdentityResult>
  <ResponseMetadata><RequestId>ad4156e9-bce1-11e2-82e6-6b6efEXAMPLE</RequestId></ResponseMetadata>
</AssumeRoleWithWebIdentityResponse>`;
  return { body, headers: { 'Content-Type': 'text/xml' } };
}

function refused(status: number, code: string): Answer {
  const message = `The token ${CALLER_TOKEN} is bad`;
  const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>
  <RequestId>1</RequestId>
</ErrorResponse>`;
  return { status, body, headers: { 'Content-Type': 'text/xml' } };
}

async function tokenService() {
  const sts = await bench.endpoint();
  sts.answers = [0, 1, 2, 3, 4].map(number => assumed(number));
  return sts;
}

const pairs = (headers: readonly string[]): Record<string, string> =>
  Object.fromEntries(headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : [])));

test('aws_sts requests the role with the token of the caller, and the request has no AWS credentials of the gateway', async () => {
  const sts = await tokenService();
  await (await bench.credential(plan(sts.url, { sessionDurationSeconds: 900 }))).getHeaders(CALL);
  expect(sts.received[0]?.form).toEqual([
    ['Action', 'AssumeRoleWithWebIdentity'],
    ['Version', '2011-06-15'],
    ['RoleArn', ROLE],
    ['RoleSessionName', 'alice'],
    ['DurationSeconds', '900'],
    ['WebIdentityToken', CALLER_TOKEN],
  ]);
  expect(sts.received[0]?.headers.authorization).toBeUndefined();
});

test('aws_sts sends the token of an upstream to AWS, and chooses the role by the claims of the caller', async () => {
  const sts = await tokenService();
  const upstreamTokens = new HeldTokens([['okta', { accessToken: 'upstream', idToken: null, expiresAt: null }]]);
  const overrides: Partial<AwsStsPlan> = {
    subject: { type: 'upstream', provider: 'okta' },
    mappings: [
      { type: 'cel', expression: 'claims.level > 3', roleArn: ROLE },
      { type: 'value', value: 'admins', roleArn: ADMIN },
    ],
  };
  await (await bench.credential(plan(sts.url, overrides), createCaller({ upstreamTokens }))).getHeaders(CALL);
  expect(sts.received[0]?.form).toContainEqual(['WebIdentityToken', 'upstream']);
  expect(sts.received[0]?.form).toContainEqual(['RoleArn', ADMIN]);
  expect(bench.logLines.map(line => JSON.parse(line))).toMatchObject([{ level: 40, backend: 'jira', mapping: 0 }]);
});

test.each(['GET', 'POST', 'DELETE'] as const)(
  'a backend can verify the AWS signature of a %s request that the gateway sends',
  async method => {
    const sts = await tokenService();
    const backend = bench.own(await startRawServer((_request, response) => void response.end()));
    const url = new URL(`${backend.origin}/mcp/a%20b?x=1&y=%2F`);
    const body = method === 'POST' ? '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"é"}}' : '';
    const request: OutgoingRequest = { method, url, body };
    const headers = await (await bench.credential(plan(sts.url))).getHeaders(request);
    await fetch(url, { method, headers: pairs(headers), ...(body === '' ? {} : { body }) });
    const received = backend.requests[0];
    if (received === undefined) throw new Error('nothing came');
    const { accessKeyId, signedHeaders, signature } = readAuthorization(String(received.headers.authorization));
    expect(accessKeyId).toBe('ASIAEXAMPLE000000000');
    expect(signedHeaders).toEqual(['host', 'x-amz-date', 'x-amz-security-token']);
    expect(received.headers['x-amz-security-token']).toBe('FwoGZXIvYXdzEXAMPLE//token+0==');
    expect(received.headers['x-amz-date']).toBe('20260101T000000Z');
    const key = { accessKeyId, secretAccessKey: SECRET_KEY, region: 'eu-west-1', service: 'aws-mcp' };
    expect(signature).toBe(expectedSignature(received, key));
  },
);

describe('credentials', () => {
  const keyOf = async (headers: readonly string[] | Promise<readonly string[]>) =>
    readAuthorization(pairs(await headers).authorization ?? '').accessKeyId.at(-1);

  test('aws_sts requests credentials once for a hundred concurrent calls of one caller', async () => {
    const sts = await tokenService();
    const auth = await bench.auth(plan(sts.url));
    const calls = Array.from({ length: 100 }, () => keyOf(auth.getCredential(() => createCaller()).getHeaders(CALL)));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['0']));
    expect(sts.received).toHaveLength(1);
  });

  test.each([
    [3299, '0'],
    [3300, '1'],
  ])(
    '%i s after requesting credentials for 3600 s, aws_sts uses the credentials of request %s (0: the first, 1: the second)',
    async (seconds, number) => {
      const sts = await tokenService();
      const credential = await bench.credential(plan(sts.url));
      await credential.getHeaders(CALL);
      bench.now += seconds * 1000;
      expect(await keyOf(credential.getHeaders(CALL))).toBe(number);
    },
  );

  test('aws_sts uses cached AWS credentials further when the caller sends a renewed token', async () => {
    const sts = await tokenService();
    let identity = createCaller();
    const credential = (await bench.auth(plan(sts.url))).getCredential(() => identity);
    await credential.getHeaders(CALL);
    identity = createCaller({ token: 'renewed' });
    expect(await keyOf(credential.getHeaders(CALL))).toBe('0');
  });

  test.each([
    ['a caller with another subject', createCaller({ subject: 'bob' })],
    ['a caller of another issuer', createCaller({ issuer: 'https://other.example.com' })],
    ['a caller with other groups', createCaller({ claims: { sub: 'alice', groups: ['staff'] } })],
    ['a caller with another session name', createCaller({ claims: { sub: 'bob', groups: ['admins'] } })],
  ])('aws_sts uses the AWS credentials of a caller for no call of %s', async (_, other) => {
    const sts = await tokenService();
    const auth = await bench.auth(plan(sts.url, { mappings: [{ type: 'value', value: 'admins', roleArn: ADMIN }] }));
    expect(await keyOf(auth.getCredential(() => createCaller()).getHeaders(CALL))).toBe('0');
    expect(await keyOf(auth.getCredential(() => other).getHeaders(CALL))).toBe('1');
  });

  test('aws_sts gives no cached credentials to a caller whose token has expired', async () => {
    const sts = await tokenService();
    const credential = await bench.credential(plan(sts.url), createCaller({ expiresAt: START + 60_000 }));
    await credential.getHeaders(CALL);
    bench.now += 60_000;
    expect(await refusal(() => credential.getHeaders(CALL))).toMatchObject({ fault: 'caller' });
  });

  test('aws_sts requests new credentials once when the backend refuses two requests, and none for refused credentials a moment old', async () => {
    const sts = await tokenService();
    const credential = await bench.credential(plan(sts.url));
    const [first, second] = await Promise.all([credential.getHeaders(CALL), credential.getHeaders(CALL)]);
    expect(credential.rejected(first)).toBe(false);
    bench.now += 60_000;
    expect(credential.rejected(first)).toBe(true);
    expect(await keyOf(credential.getHeaders(CALL))).toBe('1');
    expect(credential.rejected(second)).toBe(true);
    expect(await keyOf(credential.getHeaders(CALL))).toBe('1');
  });
});

describe('failed requests for credentials', () => {
  test.each<[string, Answer, 'caller' | 'gateway', string]>([
    [
      'an expired token',
      refused(400, 'ExpiredTokenException'),
      'caller',
      'the token of the caller was refused (ExpiredTokenException); log in again',
    ],
    [
      'a revoked token',
      refused(403, 'IDPRejectedClaim'),
      'caller',
      'the token of the caller was refused (IDPRejectedClaim); log in again',
    ],
    [
      'a role that denies access',
      refused(403, 'AccessDenied'),
      'gateway',
      `the role ${ROLE} was refused (AccessDenied)`,
    ],
    [
      'a token of an unknown provider',
      refused(400, 'InvalidIdentityToken'),
      'gateway',
      `the role ${ROLE} was refused (InvalidIdentityToken)`,
    ],
    [
      'an error code that repeats the token',
      refused(400, CALLER_TOKEN),
      'gateway',
      `the role ${ROLE} was refused (HTTP 400)`,
    ],
    ['a 500', { status: 500, body: 'oops' }, 'gateway', `the role ${ROLE} was refused (HTTP 500)`],
    ['an answer in JSON', { body: {} }, 'gateway', 'the answer has no usable credentials'],
    ['an empty body', { body: '' }, 'gateway', 'the answer has no usable credentials'],
    [
      'an answer without SessionToken',
      assumed(0, { SessionToken: '' }),
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'an answer with two access keys',
      assumed(0, { Extra: '</Extra><AccessKeyId>ASIAEXAMPLE000000009</AccessKeyId><Extra>' }),
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'a session token with a line break',
      assumed(0, { SessionToken: 'a\r\nX-Admin: 1' }),
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'a session token with an XML entity',
      assumed(0, { SessionToken: 'a&#13;b' }),
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'an expiration that is not a time',
      assumed(0, { Expiration: 'tomorrow' }),
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'an expiration at an impossible date',
      assumed(0, { Expiration: '2026-13-41T00:00:00Z' }),
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'an XML element that never ends',
      { body: `<Credentials>${'<AccessKeyId>'.repeat(5000)}` },
      'gateway',
      'the answer has no usable credentials',
    ],
    [
      'a redirect to another host',
      { status: 307, headers: { Location: 'https://evil.example.com/' }, body: '' },
      'gateway',
      `the role ${ROLE} was refused (HTTP 307)`,
    ],
  ])('aws_sts fails with a clear error and shows no secret for %s', async (_, answer, fault, message) => {
    const sts = await bench.endpoint(answer);
    const error = await refusal(async () => (await bench.credential(plan(sts.url))).getHeaders(CALL));
    expect(error.message).toBe(`aws_sts at ${sts.host}: ${message}`);
    expect(error.fault).toBe(fault);
    const shown = [error.stack, JSON.stringify(error), ...bench.logLines].join('\n');
    for (const hidden of [CALLER_TOKEN, 'SECRETSIGNATURE', SECRET_KEY]) expect(shown).not.toContain(hidden);
  });

  test.each([
    ['an anonymous caller', ANONYMOUS, {}, 'the caller is anonymous'],
    ['a caller without a token', createCaller({ token: null }), {}, 'the caller has no token'],
    [
      'a caller whose claim cannot name the session',
      createCaller({ claims: { sub: 'auth0|1' } }),
      {},
      'the claim "sub" cannot name the session',
    ],
    ['a caller without a role', createCaller(), { fallbackRoleArn: null }, 'no role mapping matches the caller'],
  ] as const)('aws_sts fails for %s, and sends no request to AWS', async (_, identity, overrides, message) => {
    const sts = await tokenService();
    const credential = await bench.credential(plan(sts.url, overrides), identity);
    const error = await refusal(() => credential.getHeaders(CALL));
    expect(error).toMatchObject({ fault: 'gateway', message: expect.stringContaining(message) });
    expect(sts.received).toEqual([]);
  });
});
