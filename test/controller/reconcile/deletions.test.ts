/** What a reconcile deletes: workloads that the revision has no longer, and all of them with their source. */
import { afterEach, expect, test } from 'vitest';
import { ReconcileError } from '../../../controller/reconcile/index.ts';
import { digestOfVersion, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});
const PROGRESS_MS = 2_000;
const [ONE, TWO, THREE] = ['1', '2', '3'].map(digestOfVersion) as [string, string, string];

test.each([
  ['is refused', { state: 'refused', message: 'no' }, 0],
  ['is not healthy in time', { state: 'progressing', message: 'image cannot be pulled' }, 301_000],
] as const)(
  'when a renamed gateway %s, the gateway with the former name stays in service until a person approves its deletion',
  async (_, rollout, ms) => {
    world.commit({ old: '1', ops: '3' });
    await world.reconcile();
    world.rollouts.set(TWO, rollout);
    const commit = world.commit({ new: '2', ops: '3' });
    await world.reconcile();
    world.pass(ms);
    await world.reconcile();
    await world.reconcile();
    expect(world.running()).toEqual({ new: TWO, old: ONE, ops: THREE });
    expect(world.conditions('Stalled')).toHaveLength(1);
    expect(world.message('Ready')).toContain(
      `1 deletion waits until gateway team/new has run once; to allow the deletions, annotate the GatewaySource with lintel.dev/allow-deletions: ${commit}`,
    );
    world.annotate('allow-deletions', commit);
    await world.reconcile();
    expect(world.running()).toEqual({ new: TWO, ops: THREE });
    expect(world.message('Ready')).not.toContain('waits');
  },
);

test('when a revision renames a new gateway that never became active, the controller deletes the gateway with the former name', async () => {
  world.rollouts.set(ONE, { state: 'refused', message: 'no' });
  world.rollouts.set(TWO, { state: 'refused', message: 'no' });
  world.commit({ first: '1', ops: '3' });
  await world.reconcile();
  world.commit({ second: '2', ops: '3' });
  await world.reconcile();
  expect(world.running()).toEqual({ ops: THREE, second: TWO });
});

test('gateways whose deletion is blocked still run, and gatewaysReady counts them', async () => {
  world.commit({ eng: '1', ops: '1' });
  await world.reconcile();
  world.commit({});
  await world.reconcile();
  expect(world.conditions('Ready')).toEqual(['Ready=False(PruneBlocked)']);
  expect(world.status.gatewaysReady).toBe('2/2');
  world.commit({ new: '1' });
  await world.reconcile();
  expect(world.conditions('Ready')).toEqual(['Ready=False(PruneBlocked)']);
  expect(world.status.gatewaysReady).toBe('3/3');
});

test('deleting a source deletes its objects, and the source stays until its objects are gone', async () => {
  world.commit({ eng: '1', ops: '1' });
  await world.reconcile();
  world.metadata = { ...world.metadata, deletionTimestamp: '2026-11-01T00:00:00Z' };
  world.sticky.add(ID_OF('ops'));
  expect(await world.reconcile()).toBe(PROGRESS_MS);
  expect([world.running(), world.isKept]).toEqual([{ ops: ONE }, true]);
  expect(world.status.inventory?.entries).toMatchObject([{ id: ID_OF('ops') }]);
  world.sticky.clear();
  expect(await world.reconcile()).toBeUndefined();
  expect([world.running(), world.isKept, world.done]).toEqual([{}, false, ['prune ops', 'forget', 'release']]);
});

test.each([
  ['the source has prune: false', { prune: false }],
  ['the source is suspended', { suspend: true }],
  ['the objects are of a protected kind', { deletion: { protectedKinds: ['Deployment'] } }],
])('deleting a source leaves its objects in place: %s', async (_, spec) => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.edit(spec);
  world.metadata = { ...world.metadata, deletionTimestamp: '2026-11-01T00:00:00Z' };
  await world.reconcile();
  expect([world.running(), world.isKept]).toEqual([{ eng: ONE }, false]);
  expect(world.done).toEqual(['let go of eng', 'forget', 'release']);
});

test('a source whose service account is gone can still be deleted', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  const around = world.context.bind(world);
  const denied = new ReconcileError('PolicyDenied', 'stalled', 'there is no ServiceAccount team/deployer');
  world.context = () => ({
    ...around(),
    destination: () => {
      throw denied;
    },
  });
  world.metadata = { ...world.metadata, deletionTimestamp: '2026-11-01T00:00:00Z' };
  expect(await world.reconcile()).toBeUndefined();
  expect([world.isKept, world.events.at(-1)]).toEqual([false, 'Warning PolicyDenied']);
});
