/** aws_sts end to end: a role for each caller, and a signature on every request that the backend verifies. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AwsStsPlan, TokenAuthPlan } from '#schemas';
import { backendPlan } from '../../support/gateway.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/identity-provider.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { authPlan, providerPlan } from '../auth/incoming/harness.ts';
import { expectedSignature, readAuthorization } from '../auth/outgoing/sigv4.ts';
import {
  BACKEND_KINDS,
  CLIENT_KINDS,
  connect,
  decodeClaims,
  type GuardedBackend,
  startBackend,
  startServed,
} from './harness.ts';

let idp: IdentityProvider;
let incomingAuth: TokenAuthPlan;

beforeAll(async () => {
  idp = await startIdentityProvider();
  incomingAuth = authPlan([providerPlan(idp)]);
});

afterAll(() => idp.close());

const SCOPE = { region: 'eu-west-1', service: 'aws-mcp' };

const keyIdOf = (sub: unknown): string => `ASIAEXAMPLE000000${String(sub).toUpperCase()}`;
const secretOf = (keyId: string): string => `secret/of/${keyId}`;

/** A token service that issues separate keys to each caller. */
async function startTokenService(): Promise<{ plan: AwsStsPlan; handedIn: string[] }> {
  const handedIn: string[] = [];
  const server = await startRawServer(({ body }, response) => {
    const token = new URLSearchParams(body).get('WebIdentityToken') ?? '';
    handedIn.push(token);
    const keyId = keyIdOf(decodeClaims(token).sub);
    response.writeHead(200, { 'content-type': 'text/xml' });
    response.end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
      <AssumeRoleWithWebIdentityResult><Credentials>
        <AccessKeyId>${keyId}</AccessKeyId>
        <SecretAccessKey>${secretOf(keyId)}</SecretAccessKey>
        <SessionToken>session-${keyId}</SessionToken>
        <Expiration>${new Date(Date.now() + 3_600_000).toISOString()}</Expiration>
      </Credentials></AssumeRoleWithWebIdentityResult>
    </AssumeRoleWithWebIdentityResponse>`);
  });
  onTestFinished(() => server.close());
  const plan: AwsStsPlan = {
    type: 'aws_sts',
    ...SCOPE,
    mappings: [],
    fallbackRoleArn: 'arn:aws:iam::123456789012:role/tools',
    roleClaim: 'groups',
    sessionDurationSeconds: 3600,
    sessionNameClaim: 'sub',
    subject: { type: 'caller' },
    stsUrl: `${server.origin}/`,
  };
  return { plan, handedIn };
}

/** Accepts requests with a valid AWS signature. */
const verify: GuardedBackend['check'] = ({ method, headers, body }) => {
  if (!String(headers.authorization).startsWith('AWS4-HMAC-SHA256 ')) return 403;
  const { accessKeyId, signature } = readAuthorization(String(headers.authorization));
  if (headers['x-amz-security-token'] !== `session-${accessKeyId}`) return 403;
  const key = { accessKeyId, secretAccessKey: secretOf(accessKeyId), ...SCOPE };
  return expectedSignature({ method, path: '/mcp', headers, body }, key) === signature ? undefined : 403;
};

describe.each(BACKEND_KINDS)('a backend of kind %s', backendKind => {
  test.each(CLIENT_KINDS)(
    'the gateway signs the requests of each caller to a backend with the AWS role of this caller, for clients of kind %s',
    async clientKind => {
      const { plan, handedIn } = await startTokenService();
      const backend = await startBackend(backendKind, verify);
      const { url } = await startServed({ backends: [backendPlan('s', backend.url, { auth: plan })], incomingAuth });
      const subjects = ['alice', 'bob'];
      const tokens = await Promise.all(subjects.map(sub => idp.issue({ claims: { sub } })));
      const clients = await Promise.all(
        tokens.map(token => connect(clientKind, url, () => ({ authorization: `Bearer ${token}` }))),
      );
      await Promise.all(
        [0, 1, 2].flatMap(round =>
          clients.map(async (client, index) => {
            const args = { who: subjects[index], round };
            expect(JSON.parse(await client.call('s_echo', args))).toEqual(args);
          }),
        ),
      );
      expect(backend.calls()).toHaveLength(6);
      for (const { headers, body } of backend.calls()) {
        const { who } = (JSON.parse(body) as { params: { arguments: { who: string } } }).params.arguments;
        expect(readAuthorization(String(headers.authorization)).accessKeyId).toBe(keyIdOf(who));
      }
      // Each token was sent once, and only to the token service.
      expect([...handedIn].sort()).toEqual([...tokens].sort());
      for (const token of tokens) expect(JSON.stringify(backend.received)).not.toContain(token);
    },
  );
});
