import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../controller/kube/index.ts';
import {
  AppliedCluster,
  createConfigMap,
  createGroup,
  createOutcome,
  createUnit,
  NAMESPACE,
} from '../../support/applied-cluster.ts';

const settings = (data: { readonly [key: string]: string }) =>
  createOutcome({ objects: [createConfigMap('settings', data)] });

const applyByKubectl = async (cluster: AppliedCluster, object: KubeObject, manager = 'kubectl-client-side-apply') =>
  cluster.api.put(object, manager);

describe('an object of another source', () => {
  test('the controller reports a conflict that names the source to which an object belongs', async () => {
    await using one = await AppliedCluster.start({ source: { namespace: 'team', name: 'one' } });
    await using two = await AppliedCluster.start({ source: { namespace: 'team', name: 'two' }, api: one.api });
    await one.reconcile(settings({ a: '1' }));
    await expect(two.reconcile(settings({ a: '2' }))).rejects.toMatchObject({
      reason: 'FieldConflict',
      next: 'retry',
      message:
        'ConfigMap team/settings belongs to GatewaySource team/one: take it out of one of the two repositories, or give it another name',
    });
    expect(one.get('ConfigMap', 'settings')?.data).toEqual({ a: '1' });
  });

  test('the controller takes over an object of a source that no longer exists', async () => {
    await using one = await AppliedCluster.start({ source: { namespace: 'team', name: 'one' } });
    const options = { source: { namespace: 'team', name: 'two' }, api: one.api, isSource: () => false };
    await using two = await AppliedCluster.start(options);
    await one.reconcile(settings({ a: '1' }));
    await two.reconcile(settings({ a: '2' }));
    expect(one.get('ConfigMap', 'settings')?.data).toEqual({ a: '2' });
    await one.reconcile(createOutcome({}));
    expect(one.get('ConfigMap', 'settings')?.data).toEqual({ a: '2' });
  });
});

test('the controller reports a conflict for an object that another controller owns', async () => {
  await using cluster = await AppliedCluster.start();
  const owner = { apiVersion: 'v1', kind: 'VirtualMCPServer', name: 'a', uid: 'u', controller: true };
  const metadata = { name: 'settings', namespace: NAMESPACE, ownerReferences: [owner] };
  cluster.api.put({ ...createConfigMap('settings', { a: '1' }), metadata });
  await expect(cluster.reconcile(settings({ a: '2' }))).rejects.toMatchObject({
    reason: 'FieldConflict',
    message: expect.stringContaining('ConfigMap team/settings is controlled by VirtualMCPServer a'),
  });
});

test('the controller waits for an object that is being deleted', async () => {
  await using cluster = await AppliedCluster.start();
  const metadata = { name: 'settings', namespace: NAMESPACE, finalizers: ['example.com/wait'] };
  cluster.api.put({ ...createConfigMap('settings', {}), metadata });
  cluster.api.remove(cluster.keyOf('ConfigMap', 'settings'));
  await expect(cluster.reconcile(settings({}))).rejects.toMatchObject({ reason: 'DependencyNotReady', next: 'retry' });
});

describe('a field that kubectl set', () => {
  test.each(['kubectl-client-side-apply', 'kubectl-edit', 'kubectl', 'before-first-apply'])(
    'the controller removes a field that %s set and that the repository does not have',
    async manager => {
      await using cluster = await AppliedCluster.start();
      await applyByKubectl(cluster, createConfigMap('settings', { old: '1', both: '1' }), manager);
      const plan = await cluster.reconcile(settings({ both: '2', ours: '1' }));
      expect(plan.changes[0]).toMatchObject({ action: 'configure', isDrift: false });
      expect(plan.changes[0]?.difference).toEqual(
        expect.arrayContaining(['data.old: "1" -> (none)', 'data.both: "1" -> "2"', 'data.ours: (none) -> "1"']),
      );
      expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ both: '2', ours: '1' });
      expect((await cluster.reconcile(settings({ both: '2', ours: '1' }))).changes).toEqual([]);
    },
  );

  test('the controller removes a field that kubectl set by server-side apply and that the repository does not have', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.client.apply(createConfigMap('settings', { old: '1' }), { fieldManager: 'kubectl' });
    await cluster.reconcile(settings({ ours: '1' }));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ ours: '1' });
  });

  test('the controller removes a field that first kubectl and then the repository set, when the repository no longer has it', async () => {
    await using cluster = await AppliedCluster.start();
    await applyByKubectl(cluster, createConfigMap('settings', { a: '1', b: '1' }));
    await cluster.reconcile(settings({ a: '1', b: '1' }));
    await cluster.reconcile(settings({ a: '1' }));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ a: '1' });
  });

  test('the controller keeps a field that another manager set', async () => {
    await using cluster = await AppliedCluster.start();
    cluster.api.put(createConfigMap('settings', { theirs: '1' }), 'some-operator');
    await cluster.reconcile(settings({ ours: '1' }));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ theirs: '1', ours: '1' });
  });

  test('the controller keeps replicas, the time of a restart, and its own labels and annotations that kubectl set', async () => {
    await using cluster = await AppliedCluster.start();
    const outcome = createOutcome({ units: [createUnit('a', 'a')] });
    await cluster.reconcile(outcome);
    const restartedAt = 'kubectl.kubernetes.io/restartedAt';
    cluster.edit('Deployment', 'a', 'kubectl-edit', ({ metadata, spec }) => {
      const { template, ...rest } = spec as { template: { metadata: { annotations: object } } };
      const annotations = { ...template.metadata.annotations, [restartedAt]: 'now' };
      return {
        metadata: { ...metadata, annotations: { ...metadata.annotations, 'lintel.dev/prune': 'disabled' } },
        spec: { ...rest, replicas: 5, template: { ...template, metadata: { ...template.metadata, annotations } } },
      };
    });
    cluster.edit('Deployment', 'a', 'kubectl-label', ({ metadata }) => ({
      metadata: { ...metadata, labels: { ...metadata.labels, theirs: 'yes' } },
    }));
    cluster.restart();
    await cluster.reconcile(outcome);
    const { metadata, spec } = cluster.get('Deployment', 'a') as KubeObject;
    expect(spec).toMatchObject({ replicas: 5, template: { metadata: { annotations: { [restartedAt]: 'now' } } } });
    expect(metadata.annotations).toMatchObject({ 'lintel.dev/prune': 'disabled' });
    expect(metadata.labels).toMatchObject({ theirs: 'yes' });
  });

  test('the controller corrects an object although its status and annotations change between the plan and the apply', async () => {
    await using cluster = await AppliedCluster.start();
    const outcome = createOutcome({ units: [createUnit('a', 'a')] });
    await cluster.reconcile(outcome);
    const before = cluster.get('Deployment', 'a')?.spec;
    cluster.edit('Deployment', 'a', 'kubectl-edit', ({ spec }) => ({ spec: { ...(spec as object), paused: true } }));
    cluster.restart();
    const plan = await cluster.plan(outcome);
    cluster.edit('Deployment', 'a', 'kube-controller-manager', ({ metadata }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'deployment.kubernetes.io/revision': '2' } },
      status: { observedGeneration: 2 },
    }));
    await cluster.destination.apply(plan.changes, AbortSignal.timeout(200_000));
    const { metadata, spec } = cluster.get('Deployment', 'a') as KubeObject;
    expect(spec).toEqual(before);
    expect(metadata.annotations).toMatchObject({ 'deployment.kubernetes.io/revision': '2' });
  });

  test('the controller tries again when kubectl edits an object between the plan and the apply', async () => {
    await using cluster = await AppliedCluster.start();
    await applyByKubectl(cluster, createConfigMap('settings', { old: '1' }));
    const plan = await cluster.plan(settings({ ours: '1' }));
    cluster.edit('ConfigMap', 'settings', 'kubectl-edit', () => ({ data: { old: '1', newer: '1' } }));
    const applied = cluster.destination.apply(plan.changes, AbortSignal.timeout(200_000));
    await expect(applied).rejects.toMatchObject({ cause: { reason: 'ProgressingWithRetry', next: 'retry' } });
    await cluster.reconcile(settings({ ours: '1' }));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ ours: '1' });
  });
});

describe('pruning', () => {
  test('the controller deletes the objects that the repository no longer has', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(createOutcome({ objects: [createGroup('tools')], units: [createUnit('a', 'a')] }));
    await cluster.reconcile(createOutcome({ objects: [createGroup('tools')] }));
    expect(cluster.inventoried()).toEqual(['MCPGroup/tools']);
    expect(cluster.api.objects({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual([]);
    expect(cluster.api.objects({ apiVersion: 'v1', kind: 'ConfigMap' }, NAMESPACE)).toEqual([]);
  });

  test('the controller does not delete an object that a person created in place of a deleted object of the source', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(settings({}));
    cluster.api.remove(cluster.keyOf('ConfigMap', 'settings'));
    cluster.api.put(createConfigMap('settings', { theirs: '1' }));
    await cluster.reconcile(createOutcome({}));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ theirs: '1' });
    expect(cluster.inventory).toEqual([]);
  });

  test('the controller does not delete an object that was replaced between the plan and the deletion', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(settings({}));
    cluster.api.onRequest = ({ verb }, phase) => {
      if (verb !== 'delete' || phase !== 'before') return;
      cluster.api.remove(cluster.keyOf('ConfigMap', 'settings'));
      cluster.api.put(createConfigMap('settings', { theirs: '1' }));
    };
    await cluster.reconcile(createOutcome({}));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ theirs: '1' });
    expect(cluster.inventory).toEqual([]);
  });

  test('the inventory lists a deleted object until its finalizer is gone, and the controller does not wait for the finalizer', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(settings({}));
    cluster.edit('ConfigMap', 'settings', 'another', ({ metadata }) => ({
      metadata: { ...metadata, finalizers: ['example.com/wait'] },
    }));
    await cluster.reconcile(createOutcome({}));
    expect(cluster.inventoried()).toEqual(['ConfigMap/settings']);
    await cluster.reconcile(createOutcome({}));
    expect(cluster.inventoried()).toEqual(['ConfigMap/settings']);
    const deletions = cluster.api.logged({ verb: 'delete' });
    expect(deletions).toHaveLength(1);
    cluster.edit('ConfigMap', 'settings', 'another', ({ metadata }) => ({ metadata: { ...metadata, finalizers: [] } }));
    await cluster.reconcile(createOutcome({}));
    expect(cluster.inventory).toEqual([]);
  });

  test('the controller keeps an object that an annotation protects from deletion, and removes it from the inventory', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(settings({ a: '1' }));
    cluster.edit('ConfigMap', 'settings', 'kubectl-annotate', ({ metadata }) => ({
      metadata: { ...metadata, annotations: { ...metadata.annotations, 'lintel.dev/prune': 'disabled' } },
    }));
    await cluster.reconcile(createOutcome({}));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual({ a: '1' });
    expect(cluster.inventory).toEqual([]);
  });

  test.each(['Namespace', 'PersistentVolumeClaim'])('the controller never deletes a %s', async kind => {
    await using cluster = await AppliedCluster.start();
    const entry = { id: `${kind === 'Namespace' ? '' : NAMESPACE}_kept__${kind}`, v: 'v1', uid: '' };
    expect(await cluster.destination.prune([entry], AbortSignal.timeout(200_000))).toEqual([]);
    expect(cluster.api.logged()).toEqual([]);
  });

  test.each([
    ['deletes', 'lintel', undefined],
    ['leaves', 'another manager', { theirs: '1' }],
  ])('after an interrupted reconcile the controller %s an object that %s created', async (_, manager, left) => {
    await using cluster = await AppliedCluster.start();
    await cluster.client.apply(createConfigMap('settings', { theirs: '1' }), { fieldManager: manager });
    const entry = { id: 'team_settings__ConfigMap', v: 'v1', uid: '' };
    await cluster.destination.prune([entry], AbortSignal.timeout(200_000));
    expect(cluster.get('ConfigMap', 'settings')?.data).toEqual(left);
  });

  test('the controller reports a refused deletion after it has deleted all other objects', async () => {
    await using cluster = await AppliedCluster.start({
      authorize: ({ verb, resource }) => verb !== 'delete' || resource !== 'services',
      account: { namespace: NAMESPACE, name: 'deployer' },
    });
    await cluster.reconcile(createOutcome({ units: [createUnit('a', 'a')] }));
    await expect(cluster.reconcile(createOutcome({}))).rejects.toMatchObject({
      reason: 'PolicyDenied',
      message: expect.stringContaining('may not delete services in namespace team'),
    });
    expect(cluster.get('Deployment', 'a')).toBeUndefined();
    expect(cluster.get('ServiceAccount', 'a-vmcp')).toBeUndefined();
    expect(cluster.get('Service', 'vmcp-a')).toBeDefined();
  });
});
