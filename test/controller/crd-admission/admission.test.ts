/**
 * A real API server accepts all of Lintel's CRDs (structural schemas, cost of the CEL rules), refuses invalid GatewaySources, and stores
 * statuses unchanged. Needs `KUBEBUILDER_ASSETS`.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKubeClient, type DisposableKubeClient, type KubeObject } from '../../../controller/kube/index.ts';
import { computeSourceStatus, writeStatus } from '../../../controller/status/index.ts';
import { crds } from '../../support/kube-api/index.ts';
import { ASSETS, type RealApi, startRealApi } from '../../support/kube-api/real.ts';
import { eventually } from '../../support/process.ts';

const SOURCES = '/apis/lintel.dev/v1beta1/namespaces/default/gatewaysources';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const URL = 'https://git.example.com/team/gateways.git';

const source = (spec: object, name = 'prod') => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  metadata: { name, namespace: 'default' },
  spec: { url: URL, ...spec },
});

describe.skipIf(ASSETS === undefined)('a real API server (skipped: KUBEBUILDER_ASSETS not set)', () => {
  let api: RealApi;
  let client: DisposableKubeClient;
  const names = crds().map(crd => (crd as KubeObject).metadata.name);

  beforeAll(async () => {
    api = await startRealApi();
    client = createKubeClient(
      {
        server: api.url,
        namespace: 'default',
        isInsecure: false,
        warnings: [],
        authorities: async () => api.ca,
        credentials: async () => ({ authorization: `Bearer ${api.token}` }),
        forget() {},
      },
      { userAgent: 'test' },
    );
    for (const crd of crds()) {
      const { status, text } = await api.request('POST', CRDS, { body: crd });
      expect(status, text).toBe(201);
    }
    await eventually(async () => (await api.request('GET', SOURCES)).status === 200);
  });

  afterAll(async () => {
    await client?.close();
    await api?.close();
  });

  test.each(names)('a real API server serves the CRD %s, whose schema is structural', async name => {
    const conditions = await eventually(async () => {
      const { body } = await api.request('GET', `${CRDS}/${name}`);
      const list = (body.status as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
      return list.some(({ type, status }) => type === 'Established' && status === 'True') ? list : undefined;
    });
    expect(conditions.map(({ type, status }) => `${type}=${status}`).toSorted()).toEqual([
      'Established=True',
      'NamesAccepted=True',
    ]);
  });

  const dryRun = (spec: object) => api.request('POST', SOURCES, { body: source(spec), query: { dryRun: 'All' } });

  test.each<[name: string, spec: object]>([
    ['only required fields', {}],
    ['an SSH address in scp form', { url: 'git@git.example.com:team/gateways.git' }],
    ['one ref', { ref: { semver: '>=1.2.0 <2.0.0' } }],
    ['a folder', { path: './specs/a..b' }],
    ['the shortest times', { interval: '10s', timeout: '1s', healthTimeout: '1s' }],
    ['the longest timeout', { timeout: '1h' }],
  ])('a real API server accepts a GatewaySource with %s', async (_, spec) => {
    const { status, text } = await dryRun(spec);
    expect(status, text).toBe(201);
  });

  test.each<[name: string, spec: object, message: string]>([
    ['credentials', { url: 'https://me:secret@git.example.com/a.git' }, 'url must be without credentials'],
    ['another protocol', { url: 'ext::sh -c id' }, 'spec.url in body should match'],
    ['two refs', { ref: { branch: 'main', tag: 'v1' } }, 'choose one of branch, tag, semver and commit'],
    ['an option for a ref', { ref: { branch: '--upload-pack=id' } }, 'spec.ref.branch in body should match'],
    ['a path outside of the repository', { path: 'specs/../../etc' }, 'path must stay inside of the repository'],
    ['a short interval', { interval: '9s' }, 'interval must be 10s or more'],
    ['a long timeout', { timeout: '61m' }, 'timeout must be from 1s to 1h'],
    ['a healthTimeout of 0', { healthTimeout: '0s' }, 'healthTimeout must be 1s or more'],
  ])('a real API server refuses a GatewaySource with %s', async (_, spec, message) => {
    const { status, body } = await dryRun(spec);
    expect(status).toBe(422);
    expect(body.message).toContain(message);
  });

  test('a real API server stores the status that the controller writes, and the controller does not send an equal status again', async () => {
    await api.request('POST', SOURCES, { body: source({}, 'status') });
    const key = { apiVersion: 'lintel.dev/v1beta1', kind: 'GatewaySource', namespace: 'default', name: 'status' };
    const stored = async () => (await client.get(key)) as KubeObject;
    const units = ['b', 'a'].map(name => ({ kind: 'gateway' as const, namespace: 'x', name, digest: 'sha256:1' }));
    const status = computeSourceStatus({
      generation: 1,
      now: new Date(),
      state: { state: 'stalled', reason: 'CompilationFailed', message: 'm' },
      steps: { Compiled: { status: 'False', reason: 'CompilationFailed', message: 'm' } },
      units,
      compiled: {
        diagnostics: [{ code: 'LNT1003', severity: 'error', message: 'm', file: 'a.yaml', line: 1, pointer: '/x' }],
        counts: { errors: 1, warnings: 0, hints: 0 },
      },
      inventory: [{ id: 'x_a_lintel.dev_VirtualMCPServer', v: 'v1beta1', uid: 'u' }],
      attempt: { revision: 'main@sha1:1', digest: 'sha256:1', reason: 'CompilationFailed', durationMs: 12 },
    });
    expect(await writeStatus(client, await stored(), status)).toMatchObject({ outcome: 'written', object: { status } });
    // One more gateway in the middle: older servers append to keyed lists.
    const more = { ...status, gateways: [...(status.gateways ?? []), { ...units[0], name: 'aa' }] };
    await writeStatus(client, await stored(), more);
    expect((await writeStatus(client, await stored(), more)).outcome).toBe('unchanged');
    await writeStatus(client, await stored(), status);
    expect((await stored()).status).toEqual(status);
  });
});
