/** ServiceAccount tokens from a real API server, at a registry server that trusts it. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RegistryServer, server, sourceFile, startRegistry, writeInto } from '../e2e/registry/registry-server.ts';
import { type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { LIMIT_MS } from './real-cluster.ts';

const AUDIENCE = 'mcp-registry';
/** The issuer of the test's API server. */
const ISSUER = 'https://kubernetes.default.svc';

let api: RealApi;
let folder: TemporaryFolder;
let registry: RegistryServer;

/** A ServiceAccount token as a kubelet requests it for a projected volume. */
async function projected(name: string, audiences?: readonly string[]): Promise<string> {
  const { status, body, text } = await api.request('POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences, expirationSeconds: 3_600 },
    },
  });
  if (status !== 201) throw new Error(text);
  return (body.status as unknown as { readonly token: string }).token;
}

async function makeAccount(name: string): Promise<void> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'default', name } };
  const { status, text } = await api.request('POST', '/api/v1/namespaces/default/serviceaccounts', { body: account });
  if (status !== 201) throw new Error(text);
}

const answerTo = async (token: string): Promise<number> =>
  (await fetch(registry.main, { headers: { authorization: `Bearer ${token}` } })).status;

beforeAll(async () => {
  api = await startRealApi();
  await makeAccount('registry');
  await makeAccount('agent');
  folder = await temporaryFolder();
  await writeInto(folder, {
    'registry.yaml': `registryName: demo
sources: [{ name: ours, file: { path: DIR/ours.json } }]
registries: [{ name: main, sources: [ours] }]
auth:
  oauth:
    resourceUrl: https://registry.example
    providers:
      - name: cluster
        issuerUrl: ${ISSUER}
        jwksUrl: ${api.url}/openid/v1/jwks
        audience: ${AUDIENCE}
        caCertPath: DIR/ca.crt
        authTokenFile: DIR/token
        allowPrivateIP: true
`,
    'ours.json': sourceFile([server('com.example/one')]),
    'ca.crt': api.ca,
    token: await projected('registry'),
  });
  registry = await startRegistry(folder);
}, LIMIT_MS);
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await api?.close();
});

test('the registry server accepts a Kubernetes token for its own audience', async () => {
  expect(await answerTo(await projected('agent', [AUDIENCE]))).toBe(200);
  expect(await answerTo(await projected('agent', ['other', AUDIENCE]))).toBe(200);
});

test.each<[what: string, audiences: readonly string[] | undefined]>([
  ['another audience', ['vault']],
  ['the audience of the API server, as pods have it', undefined],
])('the registry server refuses a Kubernetes token for %s', async (_what, audiences) => {
  expect(await answerTo(await projected('agent', audiences))).toBe(401);
});

test('the registry server reads its own token again after the kubelet replaced the token file', async () => {
  await writeFile(folder.file('token'), await projected('registry'));
  expect(await answerTo(await projected('agent', [AUDIENCE]))).toBe(200);
});
