/** What a reconcile applies: the notes of a plan, drift, and an apply that fails midway. */
import { afterEach, expect, test } from 'vitest';
import { PartlyApplied, ReconcileError } from '../../../controller/reconcile/index.ts';
import { digestOfVersion, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const INTERVAL_MS = 60_000;
const [ONE, TWO] = ['1', '2'].map(digestOfVersion) as [string, string];

test('the message of the Applied condition has the notes of the last plan, up to a limit', async () => {
  world.notes = ['Secret team/maybe, which Deployment team/eng needs, does not exist: create it'];
  const first = world.commit({ eng: '1' });
  await world.reconcile();
  const said = `applied main@sha1:${first}; ${world.notes[0]}`;
  expect(world.message('Applied')).toBe(said);
  await world.reconcile();
  expect([world.message('Applied'), world.done]).toEqual([said, ['fetch', 'plan', 'rollouts']]);
  world.notes = [];
  await world.look();
  expect(world.message('Applied')).toBe(said);
  world.pass(INTERVAL_MS);
  await world.look();
  expect(world.message('Applied')).toBe(`applied main@sha1:${first}`);
  world.notes = Array.from({ length: 500 }, (_, at) => `${at} ${'x'.repeat(1_000)}`);
  world.commit({ eng: '2' });
  await world.reconcile();
  expect(world.message('Applied')).toMatch(/; 0 x+; 1 x+…$/);
  expect(world.message('Applied')?.length).toBeLessThan(2_100);
  world.notes = [];
  const last = world.commit({ eng: '3' });
  await world.reconcile();
  expect(world.message('Applied')).toBe(`applied main@sha1:${last}`);
});

test.each([
  ['correct', { eng: ONE }, [], ['Normal Succeeded', 'Normal DriftCorrected']],
  ['report', { eng: TWO }, ['DriftDetected=True(DriftReported)'], ['Normal Succeeded']],
  ['off', { eng: TWO }, [], ['Normal Succeeded']],
] as const)(
  'the controller handles drift as spec.drift of the source says: %s',
  async (drift, running, conditions, events) => {
    world.edit({ drift });
    world.commit({ eng: '1' });
    await world.reconcile();
    world.live.set(ID_OF('eng'), { uid: 'uid-1', digest: TWO, applied: ONE });
    await world.reconcile();
    await world.reconcile();
    expect(world.running()).toEqual(running);
    expect(world.conditions('DriftDetected')).toEqual(conditions);
    expect(world.events.slice(1, 3)).toEqual(events);
    // A dry run does not remove the object from the inventory.
    expect(world.status.inventory?.entries).toHaveLength(1);
  },
);

test.each([
  [
    'a changed field',
    { uid: 'uid-1', digest: TWO, applied: ONE },
    `corrected Deployment team/eng: digest: ${TWO} -> ${ONE}`,
  ],
  ['a deleted object', undefined, 'created Deployment team/eng again, which another client had deleted'],
] as const)('an event reports the correction of drift: %s', async (_, live, message) => {
  world.commit({ eng: '1' });
  await world.reconcile();
  if (live === undefined) world.live.delete(ID_OF('eng'));
  else world.live.set(ID_OF('eng'), live);
  await world.reconcile();
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.messages.at(-1)).toBe(message);
});

test.each([
  [
    'a changed field',
    { uid: 'uid-1', digest: TWO, applied: ONE },
    `1 object changed by other clients: Deployment team/eng (to correct: digest: ${TWO} -> ${ONE})`,
  ],
  ['a deleted object', undefined, '1 object changed by other clients: Deployment team/eng (deleted)'],
] as const)(
  'the DriftDetected condition reports drift that the controller does not correct: %s',
  async (_, live, message) => {
    world.edit({ drift: 'report' });
    world.commit({ eng: '1' });
    await world.reconcile();
    if (live === undefined) world.live.delete(ID_OF('eng'));
    else world.live.set(ID_OF('eng'), live);
    await world.reconcile();
    expect(world.message('DriftDetected')).toBe(message);
  },
);

test('objects that the controller applied before a failure stay in the inventory', async () => {
  world.commit({ eng: '1', ops: '1' });
  const around = world.context.bind(world);
  world.context = () => {
    const context = around();
    const destination = (source: never) => {
      const real = context.destination(source);
      const apply: typeof real.apply = async (changes, signal) => {
        const entries = await real.apply(changes.slice(0, 1), signal);
        throw new PartlyApplied(entries, new ReconcileError('FieldConflict', 'stalled', 'a field belongs to hpa'));
      };
      return { ...real, apply };
    };
    return { ...context, destination } as typeof context;
  };
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.conditions('Ready', 'Applied')).toEqual(['Ready=False(FieldConflict)', 'Applied=False(FieldConflict)']);
  expect(world.status.inventory?.entries).toMatchObject([
    { id: ID_OF('eng'), uid: 'uid-1' },
    { id: ID_OF('ops'), uid: '' },
  ]);
  expect(world.status.lastAppliedRevision).toBeUndefined();
  world.context = around;
  world.invariants.inputChanged();
  await world.reconcile();
  expect(world.running()).toEqual({ eng: ONE, ops: ONE });
  expect(world.conditions('Ready')).toEqual(['Ready=True(Succeeded)']);
});
