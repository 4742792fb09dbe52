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
  'half of the gateways are deleted at once': { after: { a: '1', b: '1' }, left: 'ab', reason: 'True(Succeeded)' },
  'more than half of the gateways need approval': { after: { a: '1' }, left: 'abcd', reason: 'False(PruneBlocked)' },
  'maxPercent: 75 allows to delete three of four gateways': {
    deletion: { maxPercent: 75 },
    after: { a: '1' },
    left: 'a',
    reason: 'True(Succeeded)',
  },
  'maxPercent: 0 allows no deletion': {
    deletion: { maxPercent: 0 },
    after: { a: '1', b: '1', c: '1' },
    left: 'abcd',
    reason: 'False(PruneBlocked)',
  },
  'an unchanged revision with maxPercent: 0 needs no approval': {
    deletion: { maxPercent: 0 },
    after: ALL,
    left: 'abcd',
    reason: 'True(Succeeded)',
  },
  'an empty revision deletes nothing': {
    deletion: { maxPercent: 100 },
    after: {},
    left: 'abcd',
    reason: 'False(PruneBlocked)',
  },
  'an empty revision deletes all gateways with allowEmpty': {
    deletion: { allowEmpty: true },
    after: {},
    left: '',
    reason: 'True(Succeeded)',
  },
  'an object of a protected kind stays': {
    deletion: { protectedKinds: ['Deployment'] },
    after: { a: '1', b: '1', c: '1' },
    left: 'abcd',
    reason: 'False(ApprovalRequired)',
  },
  'an object of another kind than the protected kind is deleted': {
    deletion: { protectedKinds: ['Service'] },
    after: { a: '1', b: '1', c: '1' },
    left: 'abc',
    reason: 'True(Succeeded)',
  },
  'prune: false keeps all objects, and the source is ready': {
    prune: false,
    after: { a: '1' },
    left: 'abcd',
    reason: 'True(Succeeded)',
  },
};

const left = () => Object.keys(world.running()).join('');
const ready = () => world.conditions('Ready').join('');

test.each(Object.entries(ROWS))(
  'the controller deletes objects of a source within its deletion limits: %s',
  async (_, { deletion, prune, after, left: names, reason }) => {
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
  },
);

test('the controller applies new objects of a revision although its deletions wait for approval', async () => {
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
])(
  'the annotation allow-deletions approves the waiting deletions only if it names the commit by at least seven digits: %s',
  async (_, value, names) => {
    world.commit(ALL);
    await world.reconcile();
    const commit = world.commit({ a: '1' });
    await world.reconcile();
    expect(world.message('Ready')).toContain(`lintel.dev/allow-deletions: ${commit}`);
    world.annotate('allow-deletions', value(commit));
    world.invariants.inputChanged();
    await world.reconcile();
    expect(left()).toBe(names);
  },
);

test('the message about waiting deletions names the objects, and is the same after each reconcile', async () => {
  world.commit(ALL);
  await world.reconcile();
  world.commit({ a: '1' });
  await world.reconcile();
  const said = world.message('Ready');
  expect(said).toMatch(/deletes 3 of 4 gateways and registry servers \(\S+\/b, \S+\/c, \S+\/d\), more than 50 %/);
  await world.reconcile();
  expect(world.message('Ready')).toBe(said);
});

test('the controller deletes no object before its replacement runs', async () => {
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

test('the controller does not delete an object of the same name that another client created', async () => {
  world.commit({ a: '1', b: '1' });
  await world.reconcile();
  world.live.set(ID_OF('b'), { uid: 'of somebody else', digest: ONE, applied: ONE });
  world.commit({ a: '1' });
  await world.reconcile();
  expect(left()).toBe('ab');
  expect(world.status.inventory?.entries).toHaveLength(1);
});

test('the controller still holds back a deletion that an earlier version of the controller held back', () => {
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
