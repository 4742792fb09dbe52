import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../controller/kube/index.ts';
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

const templateOf = (cluster: AppliedCluster) =>
  (cluster.get('Deployment', 'a') as KubeObject & { spec: { template: { spec: { containers: { image: string }[] } } } })
    .spec.template;

const bundles = (cluster: AppliedCluster): readonly string[] =>
  cluster.api
    .objects({ apiVersion: 'v1', kind: 'ConfigMap' }, NAMESPACE)
    .flatMap(({ metadata }) => /-bundle-(.)/.exec(metadata.name)?.[1] ?? []);

async function inService(letter: string, parts: UnitParts = {}): Promise<AppliedCluster> {
  const cluster = await AppliedCluster.start();
  await cluster.reconcile(revision(letter, parts));
  await cluster.activate(revision(letter, parts));
  return cluster;
}

/** Records, in the form in which a reconcile does, that the new bundle is held back. */
function hold(cluster: AppliedCluster, letter: string): void {
  cluster.units = cluster.units.map(unit => ({ ...unit, heldDigest: digestNamed(letter) }));
}

describe('a bundle that is refused', () => {
  test('the controller replaces a bundle that the pods refuse by the former bundle, with the former image, pod template and Service', async () => {
    await using cluster = await inService('a', { image: 'good', env: [{ name: 'A', value: '1' }] });
    const before = { deployment: templateOf(cluster), service: cluster.get('Service', 'vmcp-a')?.spec };
    const bad = revision('b', { image: 'bad', ports: [{ name: 'http', port: 1, protocol: 'TCP' }] });
    await cluster.reconcile(bad);
    cluster.restart();
    expect(await cluster.destination.rollBack(bad.units[0] as never, cluster.lastGood('a'), signal())).toBe(true);
    expect(templateOf(cluster)).toEqual(before.deployment);
    expect(cluster.get('Service', 'vmcp-a')?.spec).toEqual(before.service);
  });

  test('even after a restart, the controller leaves a restored bundle in place, and does not apply the bundle that the pods refused', async () => {
    await using cluster = await inService('a', { image: 'good' });
    const bad = revision('b', { image: 'bad' });
    await cluster.reconcile(bad);
    await cluster.destination.rollBack(bad.units[0] as never, cluster.lastGood('a'), signal());
    hold(cluster, 'b');
    cluster.restart();
    const plan = await cluster.reconcile(bad);
    expect(plan.changes).toEqual([]);
    expect(templateOf(cluster).spec.containers[0]?.image).toBe('good');
    cluster.edit('Deployment', 'a', 'somebody', ({ spec }) => ({
      spec: { ...(spec as object), template: createUnit('a', 'a', { image: 'evil' }).manifests[3]?.spec },
    }));
    await cluster.reconcile(bad);
    expect(templateOf(cluster).spec.containers[0]?.image).toBe('good');
    expect(bundles(cluster)).toContain('a');
  });

  test('the controller changes no object of a gateway without release record whose pods refuse its first bundle', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(revision('b', { image: 'bad' }));
    hold(cluster, 'b');
    const before = cluster.api.writes().length;
    const plan = await cluster.reconcile(revision('b', { image: 'bad' }));
    expect(plan).toMatchObject({ changes: [], deletions: [] });
    expect(cluster.api.writes()).toHaveLength(before);
    expect(cluster.inventoried()).toHaveLength(5);
  });

  test('when the bundle of the next good revision is active, the controller deletes the bundle that the pods refused', async () => {
    await using cluster = await inService('a');
    const bad = revision('b');
    await cluster.reconcile(bad);
    await cluster.destination.rollBack(bad.units[0] as never, cluster.lastGood('a'), signal());
    hold(cluster, 'b');
    await cluster.reconcile(revision('c', { image: 'better' }));
    expect(templateOf(cluster).spec.containers[0]?.image).toBe('better');
    await cluster.activate(revision('c', { image: 'better' }));
    await cluster.reconcile(revision('c', { image: 'better' }));
    expect(bundles(cluster)).toEqual(['a', 'c']);
  });

  test('the controller does not roll back to a bundle that was never active', async () => {
    await using cluster = await AppliedCluster.start();
    await cluster.reconcile(revision('a'));
    await cluster.reconcile(revision('b'));
    const back = { digest: digestNamed('a') };
    expect(await cluster.destination.rollBack(createUnit('a', 'b'), back, signal())).toBe(false);
  });

  test('the controller does not roll back to a bundle that no longer exists', async () => {
    await using cluster = await inService('a');
    await cluster.reconcile(revision('b'));
    cluster.api.remove(cluster.keyOf('ConfigMap', 'a-bundle-aaaaaaaaaaaaaaaa'));
    expect(await cluster.destination.rollBack(createUnit('a', 'b'), cluster.lastGood('a'), signal())).toBe(false);
    expect(templateOf(cluster)).toMatchObject({
      metadata: { annotations: { 'lintel.dev/bundle-digest': digestNamed('b') } },
    });
  });

  test('the controller rolls back to the former image when the pods refuse a new image with an unchanged bundle', async () => {
    await using cluster = await inService('a', { image: 'good' });
    const bad = revision('a', { image: 'bad' });
    await cluster.reconcile(bad);
    expect(await cluster.destination.rollBack(bad.units[0] as never, cluster.lastGood('a'), signal())).toBe(true);
    expect(templateOf(cluster).spec.containers[0]?.image).toBe('good');
  });
});

describe('bundles', () => {
  test('the controller keeps the last five bundles of a gateway that were active, and deletes older bundles', async () => {
    await using cluster = await inService('0');
    for (const letter of ['1', '2', '3', '4', '5', '6']) {
      await cluster.reconcile(revision(letter));
      await cluster.activate(revision(letter));
    }
    await cluster.reconcile(revision('6'));
    expect(bundles(cluster)).toEqual(['2', '3', '4', '5', '6']);
    expect(cluster.inventoried().filter(title => title.includes('-bundle-'))).toHaveLength(5);
  });

  test('when the controller applies the next revision, it deletes bundles that were never active, and keeps the active bundle', async () => {
    await using cluster = await inService('a');
    for (const letter of ['b', 'c', 'd']) await cluster.reconcile(revision(letter));
    expect(bundles(cluster)).toEqual(['a', 'd']);
  });

  test('the controller does not delete the active bundle even if a person deleted the release record of the gateway', async () => {
    await using cluster = await inService('a');
    cluster.api.remove(cluster.keyOf('ConfigMap', 'a-history'));
    await cluster.reconcile(revision('b'));
    expect(bundles(cluster)).toEqual(['a', 'b']);
  });

  test('the controller no longer lists a former bundle among the bundles that it keeps after a person deleted the bundle', async () => {
    await using cluster = await inService('a');
    await cluster.reconcile(revision('b'));
    const former = cluster.inventory.find(({ id }) => id.includes('-bundle-a'));
    const isKept = async () => (await cluster.plan(revision('b'))).kept.some(({ id }) => id === former?.id);
    expect(await isKept()).toBe(true);
    cluster.api.remove(cluster.keyOf('ConfigMap', former?.id.split('_')[1] ?? ''));
    expect(await isKept()).toBe(false);
    expect((await cluster.plan(revision('b'))).deletions).toEqual([]);
  });

  test('the controller deletes the bundles and the release record of a deleted gateway', async () => {
    await using cluster = await inService('a');
    await cluster.reconcile(revision('b'));
    await cluster.reconcile(createOutcome({}));
    expect(cluster.api.objects({ apiVersion: 'v1', kind: 'ConfigMap' }, NAMESPACE)).toEqual([]);
    expect(cluster.inventory).toEqual([]);
  });
});

describe('rollouts', () => {
  test('the rollout state of a gateway names the bundle that its Deployment has', async () => {
    await using cluster = await inService('a');
    await cluster.reconcile(revision('b'));
    const before = await cluster.destination.rollouts(revision('b').units, signal());
    expect(before).toEqual([
      {
        unit: { kind: 'gateway', namespace: NAMESPACE, name: 'a' },
        release: cluster.destination.findRelease?.(createUnit('a', 'b')),
        digest: digestNamed('b'),
        manifests: expect.stringMatching(/^sha256:/),
        state: 'progressing',
        message: 'Kubernetes has not processed the Deployment yet',
      },
    ]);
    cluster.rollOut(createUnit('a', 'b'));
    const after = await cluster.destination.rollouts(revision('b').units, signal());
    expect(after[0]).toMatchObject({ digest: digestNamed('b'), state: 'active' });
  });

  test('the rollout state of a gateway without a Deployment is progressing', async () => {
    await using cluster = await AppliedCluster.start();
    const rollouts = await cluster.destination.rollouts(revision('a').units, signal());
    expect(rollouts[0]).toMatchObject({ state: 'progressing', message: 'Deployment a does not exist' });
  });

  test('the controller reads the rollout state of a healthy gateway again only when its Deployment or its pods change', async () => {
    await using cluster = await AppliedCluster.start({ isCached: true });
    const both = createOutcome({ units: [createUnit('a', 'a'), createUnit('b', 'a')] });
    await cluster.reconcile(both);
    await cluster.activate(both);
    const rollouts = async () => {
      cluster.asked.length = 0;
      await cluster.caughtUp();
      return await cluster.destination.rollouts(both.units, signal());
    };
    await rollouts();
    const calm = await rollouts();
    expect(cluster.asked).toEqual([]);
    expect(calm.map(({ state }) => state)).toEqual(['active', 'active']);

    cluster.pods.set('a', []);
    expect((await rollouts()).map(({ state }) => state)).toEqual(['progressing', 'active']);
    expect(cluster.asked).toEqual(['a']);

    cluster.edit('Deployment', 'b', 'somebody', ({ spec }) => ({ spec: { ...(spec as object), replicas: 2 } }));
    expect((await rollouts()).map(({ state }) => state)).toEqual(['progressing', 'progressing']);
    expect(cluster.asked.toSorted()).toEqual(['a', 'b']);
  });

  test('the controller records a newly active bundle once', async () => {
    await using cluster = await inService('a');
    const before = cluster.api.writes().length;
    await cluster.destination.rollouts(revision('a').units, signal());
    cluster.restart();
    await cluster.destination.rollouts(revision('a').units, signal());
    expect(cluster.api.writes()).toHaveLength(before);
  });
});
