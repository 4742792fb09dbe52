/** Deletions that guards hold back, and what releases them. */
import { afterEach, expect, test } from 'vitest';
import { guardDeletions } from '../../../controller/reconcile/guards.ts';
import { createUnit, digestNamed, NAMESPACE } from '../../support/applied-cluster.ts';
import { digestOfVersion, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const ONE = digestOfVersion('1');
const ALL = { a: '1', b: '1', c: '1', d: '1' };

interface Row {
  readonly deletion?: NonNullable<World['spec']['deletion']>;
  readonly prune?: boolean;
  readonly before?: { readonly [name: string]: string };
  readonly after: { readonly [name: string]: string };
  /** Names that still exist. */
  readonly left: string;
  readonly reason: string;
}

const ROWS: { readonly [name: string]: Row } = {
  'half of them go': { after: { a: '1', b: '1' }, left: 'ab', reason: 'True(Succeeded)' },
  'more than half of them do not': { after: { a: '1' }, left: 'abcd', reason: 'False(PruneBlocked)' },
  'more do where more may': { deletion: { maxPercent: 75 }, after: { a: '1' }, left: 'a', reason: 'True(Succeeded)' },
  'none does where none may': {
    deletion: { maxPercent: 0 },
    after: { a: '1', b: '1', c: '1' },
    left: 'abcd',
    reason: 'False(PruneBlocked)',
  },
  'a change is no deletion': { deletion: { maxPercent: 0 }, after: ALL, left: 'abcd', reason: 'True(Succeeded)' },
  'an empty revision deletes nothing': {
    deletion: { maxPercent: 100 },
    after: {},
    left: 'abcd',
    reason: 'False(PruneBlocked)',
  },
  'unless it may': { deletion: { allowEmpty: true }, after: {}, left: '', reason: 'True(Succeeded)' },
  'a protected kind stays': {
    deletion: { protectedKinds: ['Deployment'] },
    after: { a: '1', b: '1', c: '1' },
    left: 'abcd',
    reason: 'False(ApprovalRequired)',
  },
  'another kind is not protected by it': {
    deletion: { protectedKinds: ['Service'] },
    after: { a: '1', b: '1', c: '1' },
    left: 'abc',
    reason: 'True(Succeeded)',
  },
  'without pruning everything stays, and that is no failure': {
    prune: false,
    after: { a: '1' },
    left: 'abcd',
    reason: 'True(Succeeded)',
  },
};

const left = () => Object.keys(world.running()).join('');
const ready = () => world.conditions('Ready').join('');

test.each(Object.entries(ROWS))('%s', async (_, { deletion, prune, after, left: names, reason }) => {
  world.edit({ ...(deletion && { deletion }), ...(prune !== undefined && { prune }) });
  world.commit(ALL);
  await world.reconcile();
  world.commit(after);
  await world.reconcile();
  expect([left(), ready()]).toEqual([names, `Ready=${reason}`]);
  // What is kept stays in the inventory, and the next reconcile decides the same.
  expect(world.status.inventory?.entries.map(({ id }) => id)).toEqual([...names].map(ID_OF));
  world.restart();
  await world.reconcile();
  expect([left(), ready()]).toEqual([names, `Ready=${reason}`]);
});

test('new objects of a revision are applied although its deletions wait', async () => {
  world.commit({ a: '1' });
  await world.reconcile();
  world.commit({ b: '1' });
  await world.reconcile();
  expect(world.running()).toEqual({ a: ONE, b: ONE });
  expect(ready()).toBe('Ready=False(PruneBlocked)');
  // A part of the revision was not applied: its deletions.
  expect(world.conditions('Applied')).toEqual(['Applied=False(PruneBlocked)']);
  expect(world.message('Applied')).toMatch(
    /^applied main@sha1:[0-9a-f]{40} without 1 deletion: the revision deletes 1 of 1 /,
  );
  // A later commit does not reduce that.
  world.commit({ b: '2' });
  await world.reconcile();
  expect([left(), ready()]).toEqual(['ab', 'Ready=False(PruneBlocked)']);
  world.commit({ a: '1', b: '2' });
  await world.reconcile();
  expect([left(), ready()]).toEqual(['ab', 'Ready=True(Succeeded)']);
  expect(world.conditions('Applied')).toEqual(['Applied=True(Succeeded)']);
});

test.each([
  ['the revision', (commit: string) => `main@sha1:${commit}`, 'a'],
  ['the commit', (commit: string) => commit, 'a'],
  ['the beginning of the commit', (commit: string) => commit.slice(0, 7), 'a'],
  ['less than seven digits', (commit: string) => commit.slice(0, 6), 'abcd'],
  ['another revision', () => 'main@sha1:0000000000000000000000000000000000000000', 'abcd'],
  ['true', () => 'true', 'abcd'],
])('a deletion is approved by %s', async (_, value, names) => {
  world.commit(ALL);
  await world.reconcile();
  const commit = world.commit({ a: '1' });
  await world.reconcile();
  expect(world.message('Ready')).toContain(`lintel.dev/allow-deletions: ${commit}`);
  world.annotate('allow-deletions', value(commit));
  world.invariants.inputChanged();
  await world.reconcile();
  expect(left()).toBe(names);
});

test('the message about waiting deletions is the same at every run, with the objects that would be deleted', async () => {
  world.commit(ALL);
  await world.reconcile();
  world.commit({ a: '1' });
  await world.reconcile();
  const said = world.message('Ready');
  expect(said).toMatch(/deletes 3 of 4 gateways and registry servers \(\S+\/b, \S+\/c, \S+\/d\), more than 50 %/);
  await world.reconcile();
  expect(world.message('Ready')).toBe(said);
});

test('no object is deleted before its replacement runs', async () => {
  world.edit({ deletion: { maxPercent: 100 } });
  world.commit({ a: '1' });
  await world.reconcile();
  world.rollouts.set(digestOfVersion('2'), { state: 'progressing', message: 'starting' });
  world.commit({ b: '2' });
  await world.reconcile();
  expect(left()).toBe('ab');
  world.rollouts.clear();
  await world.reconcile();
  expect([left(), ready()]).toEqual(['b', 'Ready=True(Succeeded)']);
});

test('an object of the same name that another client created is not deleted', async () => {
  world.commit({ a: '1', b: '1' });
  await world.reconcile();
  world.live.set(ID_OF('b'), { uid: 'of somebody else', digest: ONE, applied: ONE });
  world.commit({ a: '1' });
  await world.reconcile();
  expect(left()).toBe('ab');
  expect(world.status.inventory?.entries).toHaveLength(1);
});

test('a deletion that an earlier version of the controller held back stays held back', () => {
  const unit = (name: string, message?: string) => ({
    ...{ kind: 'gateway' as const, namespace: NAMESPACE, name, digest: digestNamed('1') },
    ...(message !== undefined && { message }),
  });
  const held = (message?: string) =>
    guardDeletions({
      entries: [{ id: 'team_a__ConfigMap', v: 'v1', uid: 'u' }],
      unitsBefore: [unit('a', message), unit('b'), unit('c')],
      outcome: { units: [createUnit('b', '1'), createUnit('c', '1')], objects: [] },
      spec: {},
      tree: { revision: 'main@sha1:1', commit: '1' },
      approvalInstructions: 'approve it',
      approval: undefined,
    }).held.length;
  expect(held('PruneBlocked: the deletion waits for somebody')).toBe(1);
  expect(held('BundleRejected: PruneBlocked: no')).toBe(0);
  expect(held()).toBe(0);
});
