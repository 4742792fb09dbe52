/** The status of an EmbeddingServer, as computed and as written. */
import { expect, onTestFinished, test } from 'vitest';
import type { EmbeddingServerStatus } from '#schemas';
import { EmbeddingServers } from '../../../controller/cluster/embedding-servers.ts';
import { formatWorkloadKey } from '../../../controller/cluster/workload-status.ts';
import type { FoundDiagnostic } from '../../../controller/compile/index.ts';
import { createKubeClient, type KubeObject } from '../../../controller/kube/index.ts';
import { createReconcileCache } from '../../../controller/reconcile/index.ts';
import { computeEmbeddingStatus, type EmbeddingStatusInput } from '../../../controller/status/index.ts';
import { crds, startKubeApi, TOKEN } from '../../support/kube-api/index.ts';
import { FilledCache } from '../../support/object-cache.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const API = 'lintel.dev/v1beta1';
const SERVER: KubeObject = {
  ...{ apiVersion: API, kind: 'EmbeddingServer' },
  metadata: { name: 'emb', namespace: 'team', generation: 2, annotations: { 'lintel.dev/source': 'team/all' } },
  spec: { port: 9090 },
};
const set = (status: object): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
  metadata: { name: 'emb', namespace: 'team' },
  ...{ spec: { replicas: 2 }, status },
});
const now = new Date('2026-11-01T00:00:00Z');
const facts: EmbeddingStatusInput = { server: SERVER, now, statefulSet: undefined, errors: [] };
const error = (pointer: string): FoundDiagnostic => ({
  ...{ code: 'LNT1046', severity: 'error', message: 'expected a list', pointer },
  object: 'EmbeddingServer/team/emb',
});

test.each<[what: string, facts: Partial<EmbeddingStatusInput>, phase: EmbeddingServerStatus['phase'], message: string]>(
  [
    ['there is no StatefulSet yet', {}, 'Pending', 'Waiting for its StatefulSet'],
    ['its StatefulSet has no pods yet', { statefulSet: set({}) }, 'Pending', 'Waiting for its pods'],
    ['a pod loads the model', { statefulSet: set({ replicas: 1 }) }, 'Downloading', 'Its pods load the model'],
    ['one of two pods is ready', { statefulSet: set({ replicas: 2, readyReplicas: 1 }) }, 'Ready', '1 of 2 pods ready'],
    [
      'its pod template is broken and nothing runs',
      { errors: [error('/spec/podTemplateSpec')] },
      'Failed',
      'expected a list',
    ],
    [
      'its pod template is broken and its former pods still run',
      { errors: [error('/spec/podTemplateSpec')], statefulSet: set({ replicas: 2, readyReplicas: 2 }) },
      'Ready',
      '2 of 2 pods ready',
    ],
    [
      'it is being deleted',
      { server: { ...SERVER, metadata: { ...SERVER.metadata, deletionTimestamp: '2026-11-01T00:00:00Z' } } },
      'Terminating',
      'The object is being deleted',
    ],
  ],
)('the status of an EmbeddingServer has its phase and message: %s', (_, given, phase, message) => {
  const status = computeEmbeddingStatus({ ...facts, ...given });
  expect(status.phase).toBe(phase);
  expect(status.message).toContain(message);
  expect(status.url).toBe('http://emb.team.svc.cluster.local:9090');
  expect(status.observedGeneration).toBe(2);
  expect(status.conditions?.find(({ type }) => type === 'ModelReady')?.status).toBe(
    phase === 'Ready' ? 'True' : 'False',
  );
});

test('the condition PodTemplateValid of an EmbeddingServer stays until its source is compiled again', () => {
  const templated = { ...SERVER, spec: { podTemplateSpec: { spec: {} } } };
  const template = (status: EmbeddingServerStatus) =>
    status.conditions?.filter(({ type }) => type === 'PodTemplateValid').map(({ status, reason }) => [status, reason]);
  expect(template(computeEmbeddingStatus(facts))).toEqual([]);
  const good = computeEmbeddingStatus({ ...facts, server: templated });
  expect(template(good)).toEqual([['True', 'ValidPodTemplateSpec']]);
  const bad = computeEmbeddingStatus(
    { ...facts, server: templated, errors: [error('/spec/podTemplateSpec/spec')] },
    good,
  );
  expect(template(bad)).toEqual([['False', 'InvalidPodTemplateSpec']]);
  expect(template(computeEmbeddingStatus({ ...facts, server: templated, errors: undefined }, bad))).toEqual(
    template(bad),
  );
  expect(template(computeEmbeddingStatus(facts, bad))).toEqual([]);
});

test('the controller writes the status of an EmbeddingServer only if a source applied it, and only once', async () => {
  const api = await startKubeApi({ crds: crds(), namespaces: ['team'] });
  onTestFinished(() => api.close());
  const config = {
    ...{ server: api.url, namespace: 'team', isInsecure: false, warnings: [] },
    authorities: async () => undefined,
    credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
    forget() {},
  };
  const client = createKubeClient(config, { userAgent: 'test' });
  onTestFinished(() => client.close());
  const foreign = { ...SERVER, metadata: { name: 'foreign', namespace: 'team' } };
  for (const one of [SERVER, foreign]) api.put(one);
  const stored = (name: string) =>
    api.get({ apiVersion: API, kind: 'EmbeddingServer', namespace: 'team', name }) as KubeObject;
  const servers = new FilledCache([stored('emb'), stored('foreign')]);
  const sets = new FilledCache([set({ replicas: 2, readyReplicas: 2 })]);
  const writer = new EmbeddingServers({
    client,
    caches: { inputs: [servers], findCache: ({ kind }) => (kind === 'StatefulSet' ? sets : undefined) },
    findMemory: () => createReconcileCache(),
    now: () => now.getTime(),
  });
  expect(writer.keys).toEqual([formatWorkloadKey(SERVER)]);
  expect(writer.listKeys(set({}))).toEqual([formatWorkloadKey(SERVER)]);
  expect(writer.listKeys(SERVER)).toEqual([formatWorkloadKey(SERVER)]);
  expect(writer.listKeys(foreign)).toEqual([]);
  expect(writer.listKeysOfSource('team/all')).toEqual([formatWorkloadKey(SERVER)]);
  const signal = AbortSignal.timeout(200_000);
  for (const key of [formatWorkloadKey(SERVER), formatWorkloadKey(foreign)]) await writer.update(key, signal);
  const written = stored('emb');
  expect(written.status).toMatchObject({ phase: 'Ready', readyReplicas: 2, observedGeneration: 1 });
  expect(stored('foreign').status).toBeUndefined();
  servers.set(written);
  await writer.update(formatWorkloadKey(SERVER), signal);
  expect(stored('emb').metadata.resourceVersion).toBe(written.metadata.resourceVersion);
  expect(new StatusInvariants().see(written)).toEqual([]);
});
