/** The provider for workloads in a cluster: its keys are behind a private authority and need a token themselves. */

import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { ISSUED_CERTIFICATE, ISSUED_KEY, TEST_AUTHORITY } from '../../support/tls-fixture.ts';
import { bearer, startDoor, twoRegistries, withoutPrivateAddresses } from './served-door.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const LISTING = '/registry/main/v0.1/servers';

/** The part of an API server that serves keys: a request needs a ServiceAccount token. */
const cluster = { token: 'sa-token-1', asked: [] as string[] };
let key: GenerateKeyPairResult;
let folder: TemporaryFolder;
const server = createServer({ cert: ISSUED_CERTIFICATE, key: ISSUED_KEY });

beforeAll(async () => {
  key = await generateKeyPair('RS256');
  folder = await temporaryFolder({ 'ca.crt': TEST_AUTHORITY, token: cluster.token });
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(key.publicKey)), use: 'sig', alg: 'RS256', kid: 'sa' }] });
  server.on('request', (req, res) => {
    cluster.asked.push(`${req.method} ${req.url}`);
    if (req.headers.authorization !== `Bearer ${cluster.token}`) res.writeHead(401).end('{"kind":"Status"}');
    else res.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(jwks);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
  await folder[Symbol.asyncDispose]();
});

const provider = (more: object = {}): string => {
  const jwksUrl = `https://localhost:${(server.address() as AddressInfo).port}/openid/v1/jwks`;
  const files = { caCertPath: folder.file('ca.crt'), authTokenFile: folder.file('token') };
  return `      - ${JSON.stringify({ name: 'cluster', issuerUrl: ISSUER, jwksUrl, audience: 'mcp-registry', ...files, allowPrivateIP: true, ...more })}`;
};

/** A token as the API server issues it for a projected volume. */
const projected = (audience: string, claims: object = {}): Promise<string> => {
  const now = Math.floor(Date.now() / 1000);
  const workload = {
    namespace: 'team',
    serviceaccount: { name: 'agent', uid: '1' },
    pod: { name: 'agent-0', uid: '2' },
  };
  return new SignJWT({
    aud: [audience],
    exp: now + 3600,
    iat: now,
    nbf: now,
    iss: ISSUER,
    sub: 'system:serviceaccount:team:agent',
    'kubernetes.io': workload,
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'sa' })
    .sign(key.privateKey);
};

test('the registry server accepts a projected token of the right audience, and requests only jwksUrl', async () => {
  cluster.asked.length = 0;
  const { send } = await startDoor(twoRegistries(provider()));
  expect((await send(LISTING, bearer(await projected('mcp-registry')))).status).toBe(200);
  expect(cluster.asked).toEqual(['GET /openid/v1/jwks']);
});

test.each([
  ['for the audience of the API server', () => projected('https://kubernetes.default.svc')],
  ['of another cluster', () => projected('mcp-registry', { iss: 'https://kubernetes.default.svc' })],
  ['that has expired', () => projected('mcp-registry', { exp: 1 })],
  ['of the old kind, which never expires', () => projected('mcp-registry', { exp: undefined })],
])('the registry server refuses a cluster token %s', async (_name, token) => {
  const { send } = await startDoor(twoRegistries(provider()));
  expect((await send(LISTING, bearer(await token()))).status).toBe(401);
});

test('with each request for keys of the cluster, the registry server sends the current token in the token file', async () => {
  const { send, secrets, lines } = await startDoor(twoRegistries(provider()));
  const first = bearer(await projected('mcp-registry'));
  expect((await send(LISTING, first)).status).toBe(200);
  cluster.token = 'sa-token-2';
  try {
    // Known keys stay valid while they cannot be fetched.
    const foreign = await new SignJWT({ iss: ISSUER })
      .setProtectedHeader({ alg: 'RS256', kid: 'new' })
      .sign(key.privateKey);
    expect((await send(LISTING, bearer(foreign))).status).toBe(503);
    expect(lines).toMatchObject([
      { level: 'warn', provider: 'cluster', cause: expect.stringContaining('answered HTTP 401') },
      { level: 'warn', tried: [{ provider: 'cluster', cause: expect.stringContaining('answered HTTP 401') }] },
    ]);
    expect(JSON.stringify(lines)).not.toContain('sa-token');
    expect((await send(LISTING, bearer(await projected('mcp-registry', { sub: 'other' })))).status).toBe(200);
    await writeFile(folder.file('token'), cluster.token);
    secrets.refresh();
    expect((await send(LISTING, bearer(foreign))).status).toBe(401);
  } finally {
    cluster.token = 'sa-token-1';
    await writeFile(folder.file('token'), cluster.token);
  }
});

test.each([
  ['without the token for keys', { authTokenFile: undefined }, 'answered HTTP 401'],
  ['without the certificate authority', { caCertPath: undefined }, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])(
  'the registry server accepts no token of a provider that is configured %s, and the log has the cause',
  async (_name, more, cause) => {
    const { send, lines } = await startDoor(twoRegistries(provider(more)));
    const reply = await send(LISTING, bearer(await projected('mcp-registry')));
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect(lines[0]).toMatchObject({ level: 'warn', provider: 'cluster', cause: expect.stringContaining(cause) });
  },
);

test('the registry server makes no connection to the cluster without allowPrivateIP', async () => {
  cluster.asked.length = 0;
  const { send, lines } = await startDoor(withoutPrivateAddresses(twoRegistries(provider())));
  expect((await send(LISTING, bearer(await projected('mcp-registry')))).status).toBe(503);
  expect(lines[0]).toMatchObject({ provider: 'cluster', cause: expect.stringContaining('is not allowed') });
  expect(cluster.asked).toEqual([]);
});

test('the registry server accepts cluster tokens also next to a provider for people', async () => {
  const people = `      - ${JSON.stringify({ name: 'people', issuerUrl: 'https://login.invalid', audience: 'x' })}`;
  const { send } = await startDoor(twoRegistries(`${people}\n${provider()}`));
  expect((await send(LISTING, bearer(await projected('mcp-registry')))).status).toBe(200);
});
