/** The record of what ran before is a ConfigMap. People who may write ConfigMaps and nothing else must gain nothing by it. */
import { describe, expect, test } from 'vitest';
import type { Activation } from '../../../controller/apply/record.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import type { LastGood } from '../../../controller/reconcile/index.ts';
import {
  AppliedCluster,
  createOutcome,
  createUnit,
  digestNamed,
  NAMESPACE,
  type UnitParts,
} from '../../support/applied-cluster.ts';

const signal = (): AbortSignal => AbortSignal.timeout(200_000);
const revision = (letter: string, parts: UnitParts = {}) => createOutcome({ units: [createUnit('a', letter, parts)] });

/** The gateway runs bundle a, and its new bundle b is refused. */
async function refused(): Promise<AppliedCluster> {
  const cluster = await AppliedCluster.start();
  await cluster.reconcile(revision('a', { image: 'good' }));
  await cluster.activate(revision('a', { image: 'good' }));
  await cluster.reconcile(revision('b', { image: 'bad' }));
  return cluster;
}

type Change = (manifests: readonly KubeObject[]) => unknown;

/** As an editor of ConfigMaps does it. */
function forge(cluster: AppliedCluster, change: Change): void {
  cluster.edit('ConfigMap', 'a-history', 'mallory', record => {
    const { 'activations.json': text = '[]' } = record.data as { readonly [name: string]: string };
    const activations = JSON.parse(text) as readonly Activation[];
    const forged = activations.map(one => ({ ...one, manifests: change(one.manifests ?? []) }));
    return { data: { 'activations.json': JSON.stringify(forged).replaceAll(JSON.stringify(DEEP), NESTING) } };
  });
}

const withImage =
  (image: string): Change =>
  manifests =>
    manifests.map(manifest =>
      manifest.kind === 'Deployment' ? createUnit('a', 'a', { image }).manifests.at(-1) : manifest,
    );

const account = (name: string, namespace = NAMESPACE): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
});

const bundle: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'policies', namespace: NAMESPACE, annotations: { 'lintel.dev/bundle-digest': digestNamed('a') } },
};

/** Stands for lists in lists, more than `JSON.stringify` can write. */
const DEEP = 'lists in lists';
const NESTING = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

const FORGERIES: readonly (readonly [what: string, change: Change])[] = [
  ['another image', withImage('evil')],
  ['an object more', manifests => [...manifests, account('more')]],
  ['an object of another namespace', manifests => [...manifests, account('more', 'kube-system')]],
  ['a ConfigMap that passes for a bundle', manifests => [...manifests, bundle]],
  ['an object less', manifests => manifests.slice(1)],
  ['no objects', () => []],
  ['something else in place of objects', () => 'objects'],
  ['something else in place of one object', () => [null]],
  ['a text that no JSON holds', manifests => [...manifests, { name: '\ud800' }]],
  ['more nesting than a stack holds', () => [DEEP]],
];

const withoutManifests = ({ digest, release }: LastGood): LastGood => ({ digest, release });

/** Of a status by an earlier version, the controller knows the Deployment, and which objects there may be. */
const FOUND_EARLIER = FORGERIES.filter(([what]) => what !== 'an object less');

async function restores(cluster: AppliedCluster, back: LastGood): Promise<boolean> {
  return await cluster.destination.rollBack(createUnit('a', 'b', { image: 'bad' }), back, signal());
}

describe('a record that is not restored', () => {
  test.each(FORGERIES)('has %s', async (_, change) => {
    await using cluster = await refused();
    forge(cluster, change);
    const writes = cluster.api.writes().length;
    expect(await restores(cluster, cluster.lastGood('a'))).toBe(false);
    expect(cluster.api.writes()).toHaveLength(writes);
  });

  test.each(FOUND_EARLIER)('has %s, with a status of an earlier version', async (_, change) => {
    await using cluster = await refused();
    forge(cluster, change);
    const writes = cluster.api.writes().length;
    expect(await restores(cluster, withoutManifests(cluster.lastGood('a')))).toBe(false);
    expect(cluster.api.writes()).toHaveLength(writes);
  });

  test.each(FORGERIES)('has %s, of a gateway that is held', async (_, change) => {
    await using cluster = await refused();
    await restores(cluster, cluster.lastGood('a'));
    forge(cluster, change);
    cluster.units = cluster.units.map(unit => ({ ...unit, heldDigest: digestNamed('b') }));
    cluster.restart();
    const plan = await cluster.reconcile(revision('b', { image: 'bad' }));
    expect(plan).toMatchObject({ changes: [], deletions: [] });
  });
});

test('a status without a release and without a digest of the objects restores nothing', async () => {
  await using cluster = await refused();
  const back = { digest: digestNamed('a') };
  expect(await restores(cluster, back)).toBe(false);
});

test('a status of an earlier version restores a record that is intact', async () => {
  await using cluster = await refused();
  const back = withoutManifests(cluster.lastGood('a'));
  expect(await restores(cluster, back)).toBe(true);
  expect(JSON.stringify(cluster.get('Deployment', 'a'))).toContain('good');
});
