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

/** Changes the record in the way of a person who may write ConfigMaps. */
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

const withSelector =
  (selector: object): Change =>
  manifests =>
    manifests.map(manifest => (manifest.kind === 'Service' ? { ...manifest, spec: { selector } } : manifest));

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
  ['an additional object', manifests => [...manifests, account('more')]],
  ['a Service that sends to other pods', withSelector({ app: 'evil' })],
  ['an additional object in another namespace', manifests => [...manifests, account('more', 'kube-system')]],
  ['a ConfigMap that has the annotation of a bundle', manifests => [...manifests, bundle]],
  ['a missing object', manifests => manifests.slice(1)],
  ['no objects', () => []],
  ['a string in place of the list of objects', () => 'objects'],
  ['null in place of an object', () => [null]],
  ['a string that is not valid Unicode', manifests => [...manifests, { name: '\ud800' }]],
  ['lists nested 50,000 deep', () => [DEEP]],
];

async function restores(cluster: AppliedCluster, back: LastGood): Promise<boolean> {
  return await cluster.destination.rollBack(createUnit('a', 'b', { image: 'bad' }), back, signal());
}

describe('a record that is not restored', () => {
  test.each(FORGERIES)(
    'the controller does not roll back to a release record that a person forged with %s',
    async (_, change) => {
      await using cluster = await refused();
      forge(cluster, change);
      const writes = cluster.api.writes().length;
      expect(await restores(cluster, cluster.lastGood('a'))).toBe(false);
      expect(cluster.api.writes()).toHaveLength(writes);
    },
  );

  test.each([...FORGERIES, ['the objects that ran', (manifests => manifests) satisfies Change] as const])(
    'the controller does not roll back to a release record with %s, if the source status lacks the hash of the objects that ran',
    async (_, change) => {
      await using cluster = await refused();
      forge(cluster, change);
      const writes = cluster.api.writes().length;
      const { digest } = cluster.lastGood('a');
      expect(await restores(cluster, { digest })).toBe(false);
      expect(cluster.api.writes()).toHaveLength(writes);
    },
  );

  test.each(FORGERIES)(
    'the controller changes no object of a gateway whose pods refuse a new bundle if a person forged the release record with %s',
    async (_, change) => {
      await using cluster = await refused();
      await restores(cluster, cluster.lastGood('a'));
      forge(cluster, change);
      cluster.units = cluster.units.map(unit => ({ ...unit, heldDigest: digestNamed('b') }));
      cluster.restart();
      const plan = await cluster.reconcile(revision('b', { image: 'bad' }));
      expect(plan).toMatchObject({ changes: [], deletions: [] });
    },
  );
});

test('the controller rolls back to the objects of a release record that nothing has changed', async () => {
  await using cluster = await refused();
  expect(await restores(cluster, cluster.lastGood('a'))).toBe(true);
  expect(JSON.stringify(cluster.get('Deployment', 'a'))).toContain('good');
});
