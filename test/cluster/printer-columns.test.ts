/** A real `kubectl get` shows each column that a kind promises, filled from an object and its status, in both versions. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASSETS, type RealApi, startRealApi } from '../support/kube-api/real.ts';
import { ROOT, type TemporaryFolder, temporaryFolder } from '../support/process.ts';
import { LIMIT_MS } from './real-cluster.ts';

const KUBECTL = join(ASSETS ?? '', 'kubectl');
const hasKubectl = existsSync(KUBECTL);

const conditions = (type: string, message = 'as asked') => [
  { type, status: 'True', reason: 'Test', message, lastTransitionTime: '2026-11-29T10:00:00Z' },
];

const URL = 'http://one.mcp.svc/mcp';
const group = { groupRef: { name: 'tools' } };
const VALID = { status: { conditions: conditions('Valid') } };

interface Row {
  readonly kind: string;
  readonly spec: object;
  readonly status: object;
  /** What `kubectl get` shows, without the columns NAME and AGE. */
  readonly shown: { readonly [column: string]: string };
}

const ROWS: readonly Row[] = [
  {
    kind: 'EmbeddingServer',
    spec: { model: 'bge-small' },
    status: { phase: 'Ready', readyReplicas: 2, url: URL },
    shown: { STATUS: 'Ready', MODEL: 'bge-small', READY: '2', URL },
  },
  {
    kind: 'GatewaySource',
    spec: { url: 'https://git.example.com/specs.git', suspend: true },
    status: {
      conditions: conditions('Ready', 'applied'),
      gatewaysReady: '1/1',
      lastAppliedRevision: 'main@sha1:0123456789abcdef0123456789abcdef01234567',
    },
    shown: {
      ...{ READY: 'True', GATEWAYS: '1/1', SUSPENDED: 'true', STATUS: 'applied' },
      REVISION: 'main@sha1:0123456789abcdef0123456789abcdef01234567',
    },
  },
  {
    kind: 'MCPAuthzConfig',
    spec: { type: 'cedarv1', config: { policies: ['permit(principal, action, resource);'] } },
    ...VALID,
    shown: { TYPE: 'cedarv1', VALID: 'True' },
  },
  {
    kind: 'MCPExternalAuthConfig',
    spec: { type: 'unauthenticated' },
    ...VALID,
    shown: { TYPE: 'unauthenticated', VALID: 'True' },
  },
  {
    kind: 'MCPGroup',
    spec: {},
    status: {
      ...{ serverCount: 3, remoteProxyCount: 2, entryCount: 1, phase: 'Ready' },
      conditions: conditions('MCPServersChecked'),
    },
    shown: { SERVERS: '3', PROXIES: '2', ENTRIES: '1', PHASE: 'Ready', CHECKED: 'True' },
  },
  {
    kind: 'MCPOIDCConfig',
    spec: { type: 'inline', inline: { issuer: 'https://idp.example.com' } },
    ...VALID,
    shown: { SOURCE: 'inline', VALID: 'True' },
  },
  {
    kind: 'MCPRegistry',
    spec: { configYAML: 'sources: []\n' },
    status: { phase: 'Ready', readyReplicas: 2, url: URL, conditions: conditions('Ready') },
    shown: { PHASE: 'Ready', READY: 'True', REPLICAS: '2', URL },
  },
  {
    kind: 'MCPRemoteProxy',
    spec: { remoteUrl: 'https://mcp.example.com/mcp' },
    status: { phase: 'Ready', url: URL, conditions: conditions('Ready') },
    shown: { PHASE: 'Ready', 'REMOTE URL': 'https://mcp.example.com/mcp', URL, READY: 'True' },
  },
  {
    kind: 'MCPServerEntry',
    spec: { ...group, remoteUrl: 'https://mcp.example.com/mcp', transport: 'streamable-http' },
    status: { phase: 'Valid' },
    shown: {
      ...{ PHASE: 'Valid', TRANSPORT: 'streamable-http', 'REMOTE URL': 'https://mcp.example.com/mcp' },
      GROUP: 'tools',
    },
  },
  {
    kind: 'MCPServer',
    spec: { image: 'registry.example.com/notes:1', transport: 'streamable-http' },
    status: { phase: 'Ready', readyReplicas: 2, url: URL, conditions: conditions('Ready') },
    shown: { STATUS: 'Ready', READY: 'True', REPLICAS: '2', URL },
  },
  {
    kind: 'MCPTelemetryConfig',
    spec: {
      openTelemetry: {
        ...{ enabled: true, endpoint: 'otel:4318' },
        ...{ tracing: { enabled: true }, metrics: { enabled: false } },
      },
    },
    ...VALID,
    shown: { ENDPOINT: 'otel:4318', VALID: 'True', TRACING: 'true', METRICS: 'false' },
  },
  { kind: 'MCPToolConfig', spec: { toolsFilter: ['find'] }, ...VALID, shown: { VALID: 'True' } },
  {
    kind: 'VirtualMCPCompositeToolDefinition',
    spec: { name: 'triage', description: 'Triages.', steps: [{ id: 'one', type: 'tool', tool: 'find' }] },
    status: { validationStatus: 'Valid', conditions: conditions('Ready') },
    shown: { WORKFLOW: 'triage', STATUS: 'Valid', READY: 'True' },
  },
  {
    kind: 'VirtualMCPServer',
    spec: { ...group, incomingAuth: { type: 'anonymous' } },
    status: { phase: 'Ready', url: URL, backendCount: 4, conditions: conditions('Ready') },
    shown: { PHASE: 'Ready', URL, BACKENDS: '4', READY: 'True' },
  },
];

describe.skipIf(!hasKubectl)(`kubectl get${hasKubectl ? '' : ' [needs kubectl next to kube-apiserver]'}`, () => {
  let api: RealApi;
  let folder: TemporaryFolder;
  beforeAll(async () => {
    [api, folder] = await Promise.all([startRealApi(), temporaryFolder()]);
    await folder.write({ kubeconfig: api.kubeconfig(api.token) });
    await kubectl('apply', '--server-side', '-k', join(ROOT, 'schemas/generated/crd'));
    await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=120s');
  }, LIMIT_MS);
  afterAll(async () => {
    await api?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const kubectl = async (...args: readonly string[]) => {
    const env = { PATH: process.env.PATH, HOME: folder.path };
    const { stdout } = await promisify(execFile)(KUBECTL, ['--kubeconfig', folder.file('kubeconfig'), ...args], {
      env,
    });
    return stdout;
  };

  test('this test has a row for each CustomResourceDefinition', async () => {
    const kinds = await kubectl('get', 'crd', '--output', 'jsonpath={.items[*].spec.names.kind}');
    expect(ROWS.map(({ kind }) => kind).toSorted()).toEqual(kinds.split(' ').toSorted());
  });

  test.each(ROWS)(
    '`kubectl get` fills the printer columns of $kind',
    { timeout: LIMIT_MS },
    async ({ kind, spec, status, shown }) => {
      await folder.write({
        'object.json': JSON.stringify({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name: 'one' }, spec }),
      });
      await kubectl('apply', '--filename', folder.file('object.json'));
      await kubectl(
        'patch',
        kind,
        'one',
        '--subresource=status',
        '--type=merge',
        '--patch',
        JSON.stringify({ status }),
      );
      for (const version of ['v1beta1', 'v1alpha1']) {
        const [heads = '', row = ''] = (await kubectl('get', `${kind}.${version}.lintel.dev`)).split('\n');
        // kubectl puts three spaces between two columns.
        const cells = row.trim().split(/ {3,}/);
        const seen = Object.fromEntries(
          heads
            .trim()
            .split(/ {3,}/)
            .map((head, at) => [head, cells[at]]),
        );
        expect(seen).toEqual({ NAME: 'one', ...shown, AGE: expect.stringMatching(/^\d+[smh]/) });
      }
    },
  );
});
