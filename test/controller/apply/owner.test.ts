import { expect, test } from 'vitest';
import { OWNABLE_KINDS } from '../../../controller/apply/index.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { AppliedCluster, createGroup, createOutcome, createUnit, NAMESPACE } from '../../support/applied-cluster.ts';

const NAMED = { namespace: NAMESPACE, name: 'gateways' };
const OWNER = { ...NAMED, owns: { uid: 'uid-of-the-source', kinds: OWNABLE_KINDS } };
const REFERENCE = {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  name: 'gateways',
  uid: 'uid-of-the-source',
};

const gateway = (name = 'eng', metadata: object = {}): KubeObject => ({
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'VirtualMCPServer',
  metadata: { name, namespace: NAMESPACE, ...metadata },
  spec: { groupRef: { name: 'tools' }, incomingAuth: { type: 'anonymous' } },
});

const revision = (...objects: readonly KubeObject[]) =>
  createOutcome({ objects: [createGroup('tools'), ...objects], units: [createUnit('eng', 'a')] });

const referencesOf = (object: KubeObject | undefined) => object?.metadata.ownerReferences;

/** `Kind/name` of all objects that have an owner. */
const owned = (cluster: AppliedCluster): readonly string[] =>
  cluster
    .inventoried()
    .filter(title => referencesOf(cluster.get(...(title.split('/') as [string, string]))) !== undefined);

test('the controller sets the owner reference to a GatewaySource on gateways in its namespace, and not on their Deployments', async () => {
  await using cluster = await AppliedCluster.start({ source: OWNER });
  await cluster.reconcile(revision(gateway()));
  expect(cluster.inventoried()).toContain('Deployment/eng');
  expect(owned(cluster)).toEqual(['VirtualMCPServer/eng']);
  // Neither `controller` nor `blockOwnerDeletion` is set.
  expect(referencesOf(cluster.get('VirtualMCPServer', 'eng'))).toEqual([REFERENCE]);
});

test.each([
  ['in another namespace', { ...OWNER, namespace: 'elsewhere' }, gateway()],
  ['of a kind that is not deleted', { ...NAMED, owns: { uid: 'uid-of-the-source', kinds: [] } }, gateway()],
  ['of a source that deletes nothing', NAMED, gateway()],
  [
    'that an annotation excludes from deletion',
    OWNER,
    gateway('eng', { annotations: { 'lintel.dev/prune': 'disabled' } }),
  ],
])('the controller sets no owner reference on a gateway %s', async (_, source, object) => {
  await using cluster = await AppliedCluster.start({ source });
  await cluster.reconcile(revision(object));
  expect(cluster.inventoried()).toContain('VirtualMCPServer/eng');
  expect(owned(cluster)).toEqual([]);
});

test('the controller removes the owner reference of a source that no longer deletes objects, and reports no drift', async () => {
  await using cluster = await AppliedCluster.start({ source: OWNER });
  await cluster.reconcile(revision(gateway()));
  await using later = await AppliedCluster.start({ source: NAMED, api: cluster.api });
  later.inventory = cluster.inventory;
  const { changes } = await later.reconcile(revision(gateway()));
  expect(changes).toMatchObject([{ object: { kind: 'VirtualMCPServer' }, isDrift: false }]);
  expect(owned(later)).toEqual([]);
});

test('the controller restores an owner reference that a person removed', async () => {
  await using cluster = await AppliedCluster.start({ source: OWNER, isCached: true });
  await cluster.reconcile(revision(gateway()));
  cluster.edit('VirtualMCPServer', 'eng', 'somebody', ({ metadata: { ownerReferences: _, ...metadata } }) => ({
    metadata,
  }));
  await cluster.caughtUp();
  expect((await cluster.reconcile(revision(gateway()))).changes).toMatchObject([{ isDrift: true }]);
  expect(referencesOf(cluster.get('VirtualMCPServer', 'eng'))).toEqual([REFERENCE]);
});

test('the controller replaces the owner reference to a GatewaySource that was created again under the same name', async () => {
  await using cluster = await AppliedCluster.start({ source: { ...OWNER, owns: { ...OWNER.owns, uid: 'former' } } });
  await cluster.reconcile(revision(gateway()));
  await using later = await AppliedCluster.start({ source: OWNER, api: cluster.api });
  later.inventory = cluster.inventory;
  await later.reconcile(revision(gateway()));
  expect(referencesOf(later.get('VirtualMCPServer', 'eng'))).toEqual([REFERENCE]);
});

const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'theirs', uid: 'uid-of-theirs' };

test.each([OWNER, NAMED])(
  'an object that a source no longer applies loses only the owner reference to this source: %j',
  async source => {
    await using cluster = await AppliedCluster.start({ source: OWNER });
    await cluster.reconcile(revision(gateway()));
    cluster.edit('VirtualMCPServer', 'eng', 'somebody', ({ metadata }) => ({
      metadata: { ...metadata, ownerReferences: [REFERENCE, OTHER] },
    }));
    await using later = await AppliedCluster.start({ source, api: cluster.api });
    await later.destination.orphan?.(cluster.inventory, AbortSignal.timeout(200_000));
    expect(referencesOf(cluster.get('VirtualMCPServer', 'eng'))).toEqual([OTHER]);
    // Repeating it has no effect, and an owner that is gone is removed.
    cluster.api.remove(cluster.keyOf('VirtualMCPServer', 'eng'));
    await later.destination.orphan?.(cluster.inventory, AbortSignal.timeout(200_000));
  },
);

test('the controller removes the owner reference of a gateway that left the repository and that an annotation keeps from deletion', async () => {
  await using cluster = await AppliedCluster.start({ source: OWNER });
  await cluster.reconcile(revision(gateway('eng'), gateway('ops')));
  cluster.edit('VirtualMCPServer', 'ops', 'kubectl-annotate', ({ metadata }) => ({
    metadata: { ...metadata, annotations: { ...metadata.annotations, 'lintel.dev/prune': 'disabled' } },
  }));
  await cluster.reconcile(revision(gateway('eng')));
  expect(cluster.get('VirtualMCPServer', 'ops')).toBeDefined();
  expect(referencesOf(cluster.get('VirtualMCPServer', 'ops'))).toBeUndefined();
});
