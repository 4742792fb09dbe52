/** Objects of ToolHive, and the gateway of a vmcp configuration, keep no value that `lintel check` reports as a secret. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readImportedFile } from '../../../compiler/import/index.ts';
import { listSensitiveValues } from '../../../compiler/source/sensitive-values.ts';
import { temporaryFolder } from '../../support/process.ts';
import { FILES } from './imported.ts';

interface Spec {
  readonly kind: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

function migrated(file: string) {
  const found = readImportedFile(file);
  return {
    objects: found.flatMap(({ objects = [] }) => objects.map(({ value }) => value as Spec)),
    secrets: found.flatMap(({ objects = [] }) => objects.flatMap(object => object.secrets.map(({ name }) => name))),
    lost: found.flatMap(({ lost }) => lost.map(({ part }) => part)),
    refused: found.flatMap(({ servers }) => servers.filter(({ outcome }) => outcome.type === 'refused')),
  };
}

test('lintel import leaves no value in objects of ToolHive that lintel check reports as a secret', () => {
  const { objects } = migrated(join(FILES, 'toolhive.objects.yaml'));
  expect(objects.length).toBeGreaterThan(5);
  for (const { kind, spec } of objects) expect(listSensitiveValues(kind, spec)).toEqual([]);
});

test('lintel import writes the secrets of programs in objects of ToolHive as references', async () => {
  const server = {
    apiVersion: 'toolhive.stacklok.dev/v1beta1',
    kind: 'MCPServer',
    metadata: { name: 'tickets' },
    spec: {
      image: 'example.com/tickets:1',
      transport: 'stdio',
      args: ['--token', 'S3CRET-one', '--token=S3CRET-two', 'serve'],
      secrets: [{ name: 'own', key: 'token', targetEnvName: 'OWN' }],
      podTemplateSpec: {
        spec: {
          containers: [
            { name: 'mcp', env: [{ name: 'API_TOKEN', value: 'S3CRET-three' }], args: ['--password=S3CRET-four'] },
          ],
        },
      },
      resourceOverrides: { proxyDeployment: { env: [{ name: 'API_TOKEN', value: 'S3CRET-five' }] } },
    },
  };
  await using folder = await temporaryFolder({ 'server.json': JSON.stringify(server) });
  const { objects, secrets, lost } = migrated(folder.file('server.json'));
  const name = 'tickets-env';
  expect(objects.map(({ spec }) => spec)).toEqual([
    {
      image: 'example.com/tickets:1',
      transport: 'stdio',
      args: ['--token', '$(ARG_TOKEN)', '--token=$(ARG_TOKEN_2)', 'serve'],
      secrets: [
        { name: 'own', key: 'token', targetEnvName: 'OWN' },
        { name, key: 'ARG_TOKEN', targetEnvName: 'ARG_TOKEN' },
        { name, key: 'ARG_TOKEN_2', targetEnvName: 'ARG_TOKEN_2' },
      ],
      podTemplateSpec: {
        spec: {
          containers: [
            {
              name: 'mcp',
              env: [
                { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name, key: 'API_TOKEN' } } },
                { name: 'ARG_PASSWORD', valueFrom: { secretKeyRef: { name, key: 'ARG_PASSWORD' } } },
              ],
              args: ['--password=$(ARG_PASSWORD)'],
            },
          ],
        },
      },
      resourceOverrides: { proxyDeployment: { env: [{ name: 'API_TOKEN', value: '' }] } },
    },
  ]);
  expect(secrets).toEqual(
    ['ARG_TOKEN', 'ARG_TOKEN_2', 'API_TOKEN', 'ARG_PASSWORD'].map(key => `Secret ${name}, key ${key}`),
  );
  expect(lost).toEqual(['MCPServer tickets spec.resourceOverrides.proxyDeployment.env API_TOKEN']);
});

test('lintel import refuses an object of ToolHive with a credential in a field that cannot refer to a Secret', async () => {
  const proxy = {
    apiVersion: 'toolhive.stacklok.dev/v1beta1',
    kind: 'MCPRemoteProxy',
    metadata: { name: 'keyed' },
    spec: { remoteUrl: 'https://keyed.example.com/mcp?api_key=S3CRET-in-a-url' },
  };
  await using folder = await temporaryFolder({ 'proxy.json': JSON.stringify(proxy) });
  const { objects, refused } = migrated(folder.file('proxy.json'));
  expect(objects).toEqual([]);
  expect(refused.map(({ outcome }) => outcome)).toEqual([
    {
      type: 'refused',
      reason: 'spec.remoteUrl: it holds a credential in the clear: keep that in a Secret, and refer to it',
    },
  ]);
});

test('lintel import replaces each secret of a vmcp configuration by a variable, and lists the variables that the configuration names', async () => {
  const config = {
    name: 'team',
    group: 'team',
    incoming_auth: { type: 'oidc', oidc: { issuer: 'https://id.example.com', client_secret_env: 'VMCP_SECRET' } },
    outgoing_auth: {
      default: { type: 'header_injection', header_injection: { header_name: 'X-Key', header_value: 'S3CRET-key' } },
      backends: {
        exchanged: { type: 'token_exchange', token_exchange: { client_secret: 'S3CRET-exchange' } },
        entra: { type: 'obo', obo: { client_secret: 'S3CRET-obo' } },
        apps: { type: 'xaa', xaa: { idp_client_secret: 'S3CRET-idp', target_client_secret: 'S3CRET-target' } },
        jira: { type: 'header_injection', header_injection: { header_name: 'X-Key', header_value_env: 'JIRA_TOKEN' } },
      },
    },
  };
  await using folder = await temporaryFolder({ 'vmcp.json': JSON.stringify(config) });
  const { objects, secrets } = migrated(folder.file('vmcp.json'));
  expect(JSON.stringify(objects)).not.toContain('S3CRET');
  for (const { kind, spec } of objects) expect(listSensitiveValues(kind, spec)).toEqual([]);
  expect(secrets).toEqual([
    'VMCP_SECRET',
    'JIRA_TOKEN',
    'LINTEL_HEADER_VALUE_DEFAULT_TEAM',
    'LINTEL_CLIENT_SECRET_EXCHANGED_TEAM',
    'LINTEL_CLIENT_SECRET_ENTRA_TEAM',
    'LINTEL_IDP_CLIENT_SECRET_APPS_TEAM',
    'LINTEL_TARGET_CLIENT_SECRET_APPS_TEAM',
  ]);
});
