/** A gateway's status while a cache lags behind: over real HTTP, with a cache that keeps showing the initial state. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildSelectorLabels, type Condition } from '#schemas';
import { Caches } from '../../../controller/cluster/caches.ts';
import { formatWorkloadKey, WorkloadStatus } from '../../../controller/cluster/workload-status.ts';
import { createKubeClient, type DisposableKubeClient, type KubeObject } from '../../../controller/kube/index.ts';
import { PodReader } from '../../../controller/pods/index.ts';
import { crds, type KubeApi, startKubeApi, TOKEN } from '../../support/kube-api/index.ts';
import { FilledCache } from '../../support/object-cache.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const API = 'lintel.dev/v1beta1';
const GATEWAY: KubeObject = {
  apiVersion: API,
  kind: 'VirtualMCPServer',
  metadata: { name: 'eng', namespace: 'team', annotations: { 'lintel.dev/source': 'team/all' } },
  spec: { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } },
};
const SOURCE: KubeObject = { apiVersion: API, kind: 'GatewaySource', metadata: { name: 'all', namespace: 'team' } };
const DIGEST = `sha256:${'a'.repeat(64)}`;
const unit = {
  ...{ kind: 'gateway', namespace: 'team', name: 'eng', digest: DIGEST },
  ...{ manifests: [], files: [], diagnostics: [], configHashes: {}, statusReportingIntervalMs: 30_000, backends: [] },
};
const MEMORY = {
  rollouts: new Map(),
  unfinished: new Map(),
  attempted: {
    inputs: '',
    tree: { revision: 'main@sha1:a', commit: 'a', folder: '/nowhere' },
    outcome: { isGood: true, units: [unit], objects: [], diagnostics: [] },
  },
};

let api: KubeApi;
let client: DisposableKubeClient;
const invariants = new StatusInvariants();
let nowMs = Date.parse('2026-11-01T00:00:00Z');
let told: string[] = [];

beforeEach(async () => {
  told = [];
  api = await startKubeApi({ crds: crds(), namespaces: ['team'] });
  const config = {
    ...{ server: api.url, namespace: 'team', isInsecure: false, warnings: [] },
    authorities: async () => undefined,
    credentials: async () => ({ authorization: `Bearer ${TOKEN}` }),
    forget() {},
  };
  client = createKubeClient(config, { userAgent: 'test' });
  api.put(GATEWAY);
});
afterEach(async () => {
  await client.close();
  await api[Symbol.asyncDispose]();
});

const stored = () => api.get({ apiVersion: API, kind: GATEWAY.kind, namespace: 'team', name: 'eng' }) as KubeObject;
const timeOf = (type: string) =>
  (stored().status as { conditions: readonly Condition[] }).conditions.find(one => one.type === type)
    ?.lastTransitionTime;

/** Keeps returning the gateway's current state. */
function lagging(): WorkloadStatus {
  const caches = new Caches({ client, namespace: undefined, onEvent: () => {} });
  const gateways = new FilledCache([stored()]);
  const nothing = new FilledCache([]);
  const seen = {
    sources: new FilledCache([SOURCE]),
    workloads: [gateways],
    findCache: ({ kind }: { kind: string }) => (kind === GATEWAY.kind ? gateways : nothing),
  };
  return new WorkloadStatus({
    client,
    caches: Object.assign(caches, seen) as never,
    pods: new PodReader({ pods: nothing }),
    findMemory: () => MEMORY as never,
    events: { add: (_, type, reason, message) => told.push(`${type} ${reason} ${message}`) },
    now: () => nowMs,
  });
}

async function update(workloads: WorkloadStatus): Promise<void> {
  await workloads.update(formatWorkloadKey(GATEWAY), AbortSignal.timeout(200_000));
  expect(invariants.see(stored())).toEqual([]);
}

test('the controller does not write an unchanged status of a gateway again while its cache lacks the first write', async () => {
  const workloads = lagging();
  await update(workloads);
  const [time, version] = [timeOf('Ready'), stored().metadata.resourceVersion];
  expect(time).toBeDefined();
  nowMs += 60_000;
  await update(workloads);
  expect([timeOf('Ready'), stored().metadata.resourceVersion]).toEqual([time, version]);
});

test('the controller keeps the times of a status that another replica wrote in the meantime', async () => {
  const [behind, newer] = [lagging(), lagging()];
  await update(newer);
  const time = timeOf('Compiled');
  nowMs += 60_000;
  // Something besides the status has changed too.
  api.put({ ...stored(), metadata: { ...stored().metadata, labels: { theirs: 'yes' } } }, 'somebody');
  await update(behind);
  expect(timeOf('Compiled')).toBe(time);
});

test('the controller emits exactly one event for each change of a gateway status', async () => {
  const workloads = lagging();
  await update(workloads);
  await update(workloads);
  expect(told).toEqual([
    expect.stringMatching(/^Normal DeploymentNotReady Ready: /),
    `Normal Succeeded Compiled: ${DIGEST}`,
    'Normal NotDeployed BundleActive: no GatewaySource deploys it yet',
  ]);
});

test('the controller emits an event about the Deployment of a gateway for this gateway and for no other gateway', async () => {
  const workloads = lagging();
  const runs = (name: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'team', labels: buildSelectorLabels({ kind: 'gateway', name }) },
  });
  const event = { type: 'Normal', reason: 'DeploymentCreated', message: 'it was created' } as const;
  workloads.announceLater(runs('eng'), event);
  workloads.announceLater(runs('ops'), event);
  await update(workloads);
  await update(workloads);
  expect(told.filter(line => line.includes('Created'))).toEqual(['Normal DeploymentCreated it was created']);
});
