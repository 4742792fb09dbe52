import { describe, expect, test } from 'vitest';
import { isOurChange, trimForCache } from '../../../controller/apply/index.ts';
import { mergePatch, withSpec } from '../../../controller/apply/whole-spec.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { AppliedCluster, createOutcome, createUnit, NAMESPACE } from '../../support/applied-cluster.ts';

const gateway = (spec: object): KubeObject => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'VirtualMCPServer',
  metadata: { name: 'eng', namespace: NAMESPACE },
  spec,
});

const SPEC = {
  groupRef: { name: 'tools' },
  incomingAuth: { type: 'anonymous' },
  config: {
    backends: [{ name: 'a', url: 'https://a.example.com', transport: 'streamable-http' }],
    aggregation: { tools: [{ workload: 'a', filter: ['read'] }] },
  },
};
const revision = (spec: object = SPEC) => createOutcome({ objects: [gateway(spec)] });

async function applied(isCached = true): Promise<AppliedCluster> {
  const cluster = await AppliedCluster.start({ isCached });
  await cluster.reconcile(revision());
  await cluster.caughtUp();
  return cluster;
}

const live = (cluster: AppliedCluster): KubeObject => cluster.get('VirtualMCPServer', 'eng') as KubeObject;

type Spec = typeof SPEC & { readonly [field: string]: unknown };

interface Row {
  readonly name: string;
  readonly edit: (spec: Spec) => object;
  readonly difference: string;
}

const ROWS: readonly Row[] = [
  {
    name: 'a policy that a person adds to a gateway',
    edit: ({ incomingAuth, ...spec }) => ({
      ...spec,
      incomingAuth: {
        ...incomingAuth,
        authzConfig: { type: 'inline', inline: { policies: ['permit(principal, action, resource);'] } },
      },
    }),
    difference: 'spec.incomingAuth.authzConfig: {"type":"inline","inline":{"policies":["permit(principal, ac',
  },
  {
    name: 'a tool filter that a person widens',
    edit: ({ config, ...spec }) => ({
      ...spec,
      config: { ...config, aggregation: { tools: [{ workload: 'a', filter: ['read', 'write'] }] } },
    }),
    difference: 'spec.config.aggregation.tools[workload=a].filter: ["read","write"] -> ["read"]',
  },
  {
    name: 'a field that a person adds to the spec',
    edit: spec => ({ ...spec, serviceType: 'LoadBalancer' }),
    difference: 'spec.serviceType: "LoadBalancer" -> "ClusterIP"',
  },
  {
    name: 'a backend that a person adds',
    edit: ({ config, ...spec }) => ({
      ...spec,
      config: {
        ...config,
        backends: [...config.backends, { name: 'b', url: 'https://b.example.com', transport: 'sse' }],
      },
    }),
    difference: 'spec.config.backends[name=b]',
  },
  {
    name: 'a field that a person removes from the spec',
    edit: ({ config: { aggregation: _, ...config }, ...spec }) => ({ ...spec, config }),
    difference: 'spec.config.aggregation',
  },
];

/** Clients may omit their field manager, or use the controller's. */
const MANAGERS = ['kubectl-edit', 'argocd-controller', 'Mozilla', 'lintel'];

describe('in the spec of a custom resource', () => {
  const cases = ROWS.flatMap(row => MANAGERS.map(manager => ({ ...row, manager })));
  test.each(cases)(
    'the controller reports $name with the field manager $manager as drift and corrects it',
    async ({ edit, manager, difference }) => {
      await using cluster = await applied();
      const before = live(cluster);
      cluster.edit('VirtualMCPServer', 'eng', manager, ({ spec }) => ({ spec: edit(spec as Spec) }));
      expect(isOurChange(trimForCache(live(cluster)), trimForCache(before))).toBe(true);
      await cluster.caughtUp();
      const plan = await cluster.reconcile(revision());
      expect(plan.changes).toMatchObject([{ action: 'configure', isDrift: true }]);
      expect(plan.changes[0]?.difference.join('\n')).toContain(difference);
      expect(live(cluster).spec).toEqual(before.spec);
      await cluster.caughtUp();
      expect((await cluster.reconcile(revision())).changes).toEqual([]);
    },
  );

  test.each([false, true])(
    'the controller reports as drift a field that a person added while no controller ran (with caches: %s)',
    async isCached => {
      await using cluster = await applied(isCached);
      cluster.edit('VirtualMCPServer', 'eng', 'Mozilla', ({ spec }) => ({ spec: { ...(spec as Spec), replicas: 7 } }));
      await cluster.caughtUp();
      cluster.restart();
      const plan = await cluster.reconcile(revision());
      expect(plan.changes).toMatchObject([{ isDrift: true, difference: ['spec.replicas: 7 -> (none)'] }]);
      expect(live(cluster).spec).not.toHaveProperty('replicas');
      cluster.restart();
      expect((await cluster.reconcile(revision())).changes).toEqual([]);
    },
  );

  test('the controller reports a field without a field manager as drift and removes it', async () => {
    await using cluster = await applied();
    cluster.edit('VirtualMCPServer', 'eng', 'Mozilla', ({ spec }) => ({ spec: { ...(spec as Spec), replicas: 7 } }));
    await cluster.client.patch(cluster.keyOf('VirtualMCPServer', 'eng'), { metadata: { managedFields: [{}] } });
    await cluster.caughtUp();
    const plan = await cluster.reconcile(revision());
    expect(plan.changes[0]).toMatchObject({ isDrift: true, difference: ['spec.replicas: 7 -> (none)'] });
    expect(live(cluster).spec).not.toHaveProperty('replicas');
  });

  test('the controller reports a change of a spec as drift even if the annotation lintel.dev/desired-hash is changed too', async () => {
    await using cluster = await applied();
    cluster.edit('VirtualMCPServer', 'eng', 'Mozilla', ({ metadata, spec }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'lintel.dev/desired-hash': 'sha256:0' } },
      spec: { ...(spec as Spec), replicas: 7 },
    }));
    await cluster.caughtUp();
    expect((await cluster.plan(revision())).changes).toMatchObject([{ isDrift: true }]);
  });

  test('when the controller applies a new revision, it removes a field that a person added, and reports no drift', async () => {
    await using cluster = await applied();
    cluster.edit('VirtualMCPServer', 'eng', 'Mozilla', ({ spec }) => ({ spec: { ...(spec as Spec), replicas: 7 } }));
    await cluster.caughtUp();
    const plan = await cluster.reconcile(revision({ ...SPEC, serviceType: 'NodePort' }));
    expect(plan.changes).toMatchObject([{ isDrift: false }]);
    expect(live(cluster).spec).toMatchObject({ serviceType: 'NodePort' });
    expect(live(cluster).spec).not.toHaveProperty('replicas');
  });

  test('if the API server refuses a new revision, the controller removes a field that a person added, and then applies the revision', async () => {
    await using cluster = await applied();
    cluster.edit('VirtualMCPServer', 'eng', 'Mozilla', ({ spec }) => ({ spec: { ...(spec as Spec), replicas: 7 } }));
    await cluster.caughtUp();
    // As a CRD rule would: first the dry run, then the real apply.
    const refused = { kind: 'VirtualMCPServer', verb: 'apply' } as const;
    cluster.api.faults.next({ ...refused, dryRun: true }, { status: 422 });
    cluster.api.faults.next({ ...refused, dryRun: false }, { status: 422 });
    await cluster.reconcile(revision({ ...SPEC, serviceType: 'NodePort' }));
    expect(cluster.api.faults.pending).toBe(0);
    expect(live(cluster).spec).toMatchObject({ serviceType: 'NodePort' });
    expect(live(cluster).spec).not.toHaveProperty('replicas');
  });

  test('the controller reports no drift for defaults of the CustomResourceDefinition, and writes nothing', async () => {
    await using cluster = await applied();
    expect(live(cluster).spec).toMatchObject({ serviceType: 'ClusterIP' });
    const writes = () => cluster.api.writes({ kind: 'VirtualMCPServer' }).length;
    expect(writes()).toBe(1);
    for (const restart of [() => {}, () => cluster.restart()]) {
      restart();
      expect((await cluster.reconcile(revision())).changes).toEqual([]);
    }
    await cluster.reconcile(revision({ ...SPEC, serviceType: 'NodePort' }));
    expect(writes()).toBe(2);
  });

  test.each([
    ['no spec', undefined],
    ['an empty spec', {}],
    ['an empty mapping', { ...SPEC, config: { ...SPEC.config, aggregation: {} } }],
    ['an empty list', { ...SPEC, passthroughHeaders: [], config: { ...SPEC.config, backends: [] } }],
    ['null', { ...SPEC, replicas: null }],
  ])('the controller reports no drift for an applied object with %s', async (_, spec) => {
    await using cluster = await AppliedCluster.start({ isCached: true });
    const kind = spec === undefined || Object.keys(spec).length === 0 ? 'MCPGroup' : 'VirtualMCPServer';
    const outcome = createOutcome({ objects: [withSpec({ ...gateway({}), kind }, spec)] });
    await cluster.reconcile(outcome);
    for (let run = 0; run < 2; run++) {
      await cluster.caughtUp();
      expect((await cluster.reconcile(outcome)).changes).toEqual([]);
      cluster.restart();
      expect((await cluster.reconcile(outcome)).changes).toEqual([]);
    }
  });

  test('the controller leaves a status and labels of other managers unchanged', async () => {
    await using cluster = await applied();
    const before = live(cluster);
    cluster.edit('VirtualMCPServer', 'eng', 'kubectl-label', ({ metadata }) => ({
      metadata: { ...metadata, labels: { ...metadata.labels, theirs: 'yes' } },
    }));
    const status = { phase: 'Ready' };
    await cluster.client.patch(cluster.keyOf('VirtualMCPServer', 'eng'), { status }, { subresource: 'status' });
    expect(isOurChange(trimForCache(live(cluster)), trimForCache(before))).toBe(false);
    cluster.restart();
    expect((await cluster.reconcile(revision())).changes).toEqual([]);
    expect(live(cluster)).toMatchObject({ status, metadata: { labels: { theirs: 'yes' } } });
  });
});

test('the controller leaves fields that other managers add to a Deployment unchanged', async () => {
  await using cluster = await AppliedCluster.start({ isCached: true });
  const outcome = createOutcome({ units: [createUnit('a', 'a')] });
  await cluster.reconcile(outcome);
  cluster.edit('Deployment', 'a', 'autoscaler', ({ spec }) => ({ spec: { ...(spec as object), replicas: 3 } }));
  await cluster.caughtUp();
  cluster.restart();
  expect((await cluster.reconcile(outcome)).changes).toEqual([]);
  expect(cluster.get('Deployment', 'a')?.spec).toMatchObject({ replicas: 3 });
});

describe('a merge patch', () => {
  test.each([
    ['for equal values', { a: 1, b: [1] }, { b: [1], a: 1 }, undefined],
    [
      'for changed members',
      { a: 1, b: { c: 1, d: 2 } },
      { b: { c: 2, e: 3 } },
      { a: null, b: { c: 2, d: null, e: 3 } },
    ],
    ['for a changed list', { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ['for a list in another order', { a: [1, 2] }, { a: [2, 1] }, { a: [2, 1] }],
    ['where null means that a member is absent', { a: 1 }, { a: null, b: null }, { a: null }],
    ['for a value of another type', { a: { b: 1 } }, { a: [1] }, { a: [1] }],
    ['for a missing value', undefined, { a: 1 }, { a: 1 }],
    ['for a value that is removed as a whole', { a: 1 }, undefined, null],
  ])('the controller computes the smallest JSON merge patch %s', (_, now, wanted, expected) =>
    expect(mergePatch(now, wanted)).toEqual(expected),
  );
});
