import { describe, expect, test } from 'vitest';
import { isOurChange, trimForCache } from '../../../controller/apply/index.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import {
  AppliedCluster,
  createConfigMap,
  createGroup,
  createOutcome,
  createUnit,
  NAMESPACE,
} from '../../support/applied-cluster.ts';

const revision = (description: string) =>
  createOutcome({ objects: [createGroup('tools', description), createConfigMap('settings', { a: '1' })] });

async function drifted(): Promise<AppliedCluster> {
  const cluster = await AppliedCluster.start({ isCached: true });
  await cluster.reconcile(revision('Ours.'));
  cluster.edit('MCPGroup', 'tools', 'somebody', () => ({ spec: { description: 'Theirs.' } }));
  cluster.api.remove(cluster.keyOf('ConfigMap', 'settings'));
  await cluster.caughtUp();
  return cluster;
}

const told = (changes: readonly { readonly object: KubeObject; readonly difference: readonly string[] }[]) =>
  changes.map(({ object, difference }) => [object.kind, ...difference]);

const DRIFT = [['ConfigMap'], ['MCPGroup', 'spec.description: "Theirs." -> "Ours."']];

describe('a change by another client of the API server', () => {
  test.each([
    ['with filled caches', false],
    ['after a restart', true],
  ])(
    'the controller reports an edit of an applied object as drift, but not a change of the repository: %s',
    async (_, isRestarted) => {
      await using cluster = await drifted();
      if (isRestarted) cluster.restart();
      const plan = await cluster.plan(revision('Ours.'));
      expect(told(plan.changes.filter(({ isDrift }) => isDrift))).toEqual(DRIFT);
      const newer = await cluster.plan(revision('Newer.'));
      expect(newer.changes.map(({ object, isDrift }) => [object.kind, isDrift])).toEqual([
        ['ConfigMap', true],
        ['MCPGroup', false],
      ]);
    },
  );

  test('the controller corrects drift when it applies the revision', async () => {
    await using cluster = await drifted();
    await cluster.reconcile(revision('Ours.'));
    expect(cluster.get('MCPGroup', 'tools')?.spec).toEqual({ description: 'Ours.' });
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ a: '1' });
    await cluster.caughtUp();
    expect((await cluster.plan(revision('Ours.'))).changes).toEqual([]);
  });

  test('the controller reports no drift for a deleted Deployment whose gateway has a new bundle', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] }));
    cluster.api.remove(cluster.keyOf('Deployment', 'a'));
    cluster.restart();
    const plan = await cluster.plan(createOutcome({ units: [createUnit('a', 'b')] }));
    expect(plan.changes.map(({ object, isDrift }) => [object.kind, isDrift])).toEqual([
      ['ConfigMap', false],
      ['Deployment', false],
    ]);
  });
});

describe('an event of the cluster', () => {
  interface Row {
    readonly name: string;
    readonly change: (cluster: AppliedCluster) => void;
    readonly isOurs: boolean;
  }
  const rows: readonly Row[] = [
    { name: 'no change', change: () => {}, isOurs: false },
    {
      name: 'a new status',
      change: cluster => cluster.rollOut(createUnit('a', 'a')),
      isOurs: false,
    },
    {
      name: 'a replica count that the bundle does not set',
      change: cluster =>
        cluster.edit('Deployment', 'a', 'autoscaler', ({ spec }) => ({ spec: { ...(spec as object), replicas: 3 } })),
      isOurs: false,
    },
    {
      name: 'a label of another manager',
      change: cluster =>
        cluster.edit('Deployment', 'a', 'somebody', ({ metadata }) => ({
          metadata: { ...metadata, labels: { ...metadata.labels, theirs: 'yes' } },
        })),
      isOurs: false,
    },
    {
      name: 'another value in a field that the controller applied',
      change: cluster =>
        cluster.edit('Deployment', 'a', 'somebody', ({ spec }) => ({
          spec: { ...(spec as object), template: createUnit('a', 'a', { image: 'evil' }).manifests[3]?.spec },
        })),
      isOurs: true,
    },
    {
      name: 'a new field that kubectl adds',
      change: cluster =>
        cluster.edit('Deployment', 'a', 'kubectl-edit', ({ spec }) => ({
          spec: { ...(spec as object), paused: true },
        })),
      isOurs: true,
    },
    {
      name: 'a deletion of the object',
      change: cluster => cluster.api.remove(cluster.keyOf('Deployment', 'a')),
      isOurs: true,
    },
  ];

  test.each(rows)(
    'the controller recognizes whether it has to act on a watch event: $name ($isOurs)',
    async ({ change, isOurs }) => {
      await using cluster = await AppliedCluster.start();
      await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] }));
      const before = cluster.get('Deployment', 'a') as KubeObject;
      change(cluster);
      const now = cluster.get('Deployment', 'a');
      expect(isOurChange(now && trimForCache(now), trimForCache(before))).toBe(isOurs);
    },
  );

  test('cached objects with equal managed fields share them in memory, and cached bundles are stored without data', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a'), createUnit('b', 'b')] }));
    const fields = ['a', 'b'].map(name => {
      const kept = trimForCache(cluster.get('Deployment', name) as KubeObject);
      return kept.metadata.managedFields?.[0]?.fieldsV1;
    });
    expect(fields[0]).toBeDefined();
    expect(fields[0]).toBe(fields[1]);
    const configMaps = cluster.api.objects({ apiVersion: 'v1', kind: 'ConfigMap' }, NAMESPACE).map(trimForCache);
    const bundles = configMaps.filter(({ immutable }) => immutable === true);
    expect(bundles).toHaveLength(2);
    for (const bundle of bundles) {
      expect(bundle).not.toHaveProperty('data');
      expect(isOurChange({ ...bundle, metadata: { ...bundle.metadata, resourceVersion: '9' } }, bundle)).toBe(false);
    }
  });

  test('the controller has to act on a watch event of a new object', () => {
    expect(isOurChange(createConfigMap('a', {}), undefined)).toBe(true);
  });
});
