/** How a reconcile awaits that workloads become healthy, and rolls back those that do not. */
import { afterEach, expect, test } from 'vitest';
import { createCommitReport } from '../../../controller/forge/create-commit-report.ts';
import type { ReconcileReport } from '../../../controller/reconcile/index.ts';
import { digestOfVersion, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const INTERVAL_MS = 60_000;
const PROGRESS_MS = 2_000;
const [ONE, TWO, THREE] = ['1', '2', '3'].map(digestOfVersion) as [string, string, string];

test('the commit status of a gateway has the number of pods that run the bundle', async () => {
  world.rollouts.set(ONE, { state: 'active', message: 'active on 3/3 pods' });
  const commit = world.commit({ eng: '1' });
  await world.reconcile();
  const facts = createCommitReport(world.told.at(-1) as ReconcileReport);
  expect(facts?.units).toMatchObject([
    { name: 'eng', state: 'success', description: `active on 3/3 pods at ${commit.slice(0, 12)}` },
  ]);
});

test('the controller checks a rollout again soon, and applies a newer revision without waiting for the end of the rollout', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'progressing', message: '1 of 2 pods run it' });
  world.commit({ eng: '2' });
  expect(await world.reconcile()).toBe(PROGRESS_MS);
  expect(world.conditions('Ready', 'Reconciling', 'Healthy')).toEqual([
    'Ready=Unknown(Progressing)',
    'Reconciling=True(Progressing)',
    'Healthy=Unknown(Progressing)',
  ]);
  expect(world.status.gateways).toMatchObject([{ digest: TWO, activeDigest: ONE }]);
  world.commit({ eng: '3' });
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect([world.running(), world.conditions('Ready')]).toEqual([{ eng: THREE }, ['Ready=True(Succeeded)']]);
});

test('the controller rolls back a bundle that the pods refuse, and does not try it again until the spec gives another bundle', async () => {
  world.commit({ eng: '1', ops: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'refused', message: 'needs a newer runtime' });
  const bad = world.commit({ eng: '2', ops: '1' });
  expect(await world.reconcile()).toBe(PROGRESS_MS);
  expect(world.done).toContain('restore eng');
  expect(world.running()).toEqual({ eng: ONE, ops: ONE });
  expect(world.status).toMatchObject({
    lastAppliedRevision: `main@sha1:${bad}`,
    gatewaysReady: '1/2',
    gateways: [{ name: 'eng', digest: ONE, activeDigest: ONE, heldDigest: TWO }, { name: 'ops' }],
  });
  expect(world.conditions('Ready', 'Stalled', 'RolledBack', 'Healthy')).toEqual([
    'Ready=False(BundleRejected)',
    'Stalled=True(BundleRejected)',
    'Healthy=False(BundleRejected)',
    'RolledBack=True(BundleRejected)',
  ]);
  expect(world.message('RolledBack')).toContain('needs a newer runtime');
  world.restart();
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.done.filter(step => /^(apply|restore|status)/.test(step))).toEqual([]);
  world.commit({ eng: '3', ops: '1' });
  await world.reconcile();
  expect(world.running()).toEqual({ eng: THREE, ops: ONE });
  expect(world.conditions('Ready', 'RolledBack', 'Stalled')).toEqual(['Ready=True(Succeeded)']);
  expect(world.status.gateways?.[0]).not.toHaveProperty('heldDigest');
});

test('after the pods refused a new bundle, a revert in the repository makes the source ready again', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'refused', message: 'no' });
  world.commit({ eng: '2' });
  await world.reconcile();
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(world.conditions('Ready', 'RolledBack')).toEqual(['Ready=True(Succeeded)']);
});

test('a request by annotation makes the controller try once more a bundle that the pods refused', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'refused', message: 'the Secret is missing' });
  world.commit({ eng: '2' });
  await world.reconcile();
  world.rollouts.delete(TWO);
  world.annotate('requested-at', 'now');
  world.invariants.inputChanged();
  await world.reconcile();
  expect([world.running(), world.conditions('Ready')]).toEqual([{ eng: TWO }, ['Ready=True(Succeeded)']]);
});

test('the controller rolls back a rollout that is not healthy within healthTimeout, even across restarts and clock changes', async () => {
  world.edit({ healthTimeout: '5m' });
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'progressing', message: 'image cannot be pulled' });
  world.commit({ eng: '2' });
  await world.reconcile();
  world.nowMs += 3_600_000;
  expect(await world.reconcile()).toBe(PROGRESS_MS);
  world.nowMs -= 3_600_000;
  world.pass(200_000);
  world.restart();
  expect(await world.reconcile()).toBe(PROGRESS_MS);
  world.pass(101_000);
  await world.reconcile();
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.conditions('Ready', 'RolledBack')).toEqual([
    'Ready=False(HealthCheckFailed)',
    'RolledBack=True(HealthCheckFailed)',
  ]);
  expect(world.message('Ready')).toContain('not healthy after 300 s: image cannot be pulled');
});

test('the controller restores nothing when the pods of a gateway refuse its first bundle', async () => {
  world.rollouts.set(ONE, { state: 'refused', message: 'no' });
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(world.done.filter(step => step.startsWith('restore'))).toEqual([]);
  expect(world.status.gateways).toMatchObject([{ digest: ONE, heldDigest: ONE }]);
  await world.reconcile();
  expect(world.done.filter(step => /^(apply|status)/.test(step))).toEqual([]);
});

test.each([
  ['in the same process', () => {}],
  ['in a process that has just started', () => world.restart()],
])(
  'the first bundle of a gateway recovers by itself when it becomes healthy after healthTimeout: %s',
  async (_, between) => {
    world.edit({ healthTimeout: '1m' });
    world.rollouts.set(ONE, { state: 'progressing', message: 'the image is being pulled' });
    world.commit({ eng: '1' });
    await world.reconcile();
    world.pass(61_000);
    await world.reconcile();
    expect(world.conditions('Ready', 'Stalled', 'RolledBack')).toEqual([
      'Ready=False(HealthCheckFailed)',
      'Stalled=True(HealthCheckFailed)',
    ]);
    between();
    world.rollouts.delete(ONE);
    world.pass(INTERVAL_MS);
    await world.reconcile();
    expect(world.conditions('Ready', 'Stalled', 'Healthy')).toEqual([
      'Ready=True(Succeeded)',
      'Healthy=True(Succeeded)',
    ]);
    const [eng] = world.status.gateways ?? [];
    expect(eng).toMatchObject({ digest: ONE, activeDigest: ONE });
    expect(eng).not.toHaveProperty('heldDigest');
    expect(eng).not.toHaveProperty('message');
    world.rollouts.set(TWO, { state: 'progressing', message: 'image cannot be pulled' });
    world.commit({ eng: '2' });
    await world.reconcile();
    world.pass(61_000);
    await world.reconcile();
    expect(world.running()).toEqual({ eng: ONE });
    expect(world.conditions('RolledBack')).toEqual(['RolledBack=True(HealthCheckFailed)']);
  },
);

test('pods that become ready late do not reactivate a bundle that the controller rolled back', async () => {
  world.edit({ healthTimeout: '1m' });
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'progressing', message: 'slow' });
  world.commit({ eng: '2' });
  await world.reconcile();
  world.pass(61_000);
  await world.reconcile();
  world.rollouts.delete(TWO);
  world.pass(INTERVAL_MS);
  await world.reconcile();
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.status.gateways).toMatchObject([{ digest: ONE, activeDigest: ONE, heldDigest: TWO }]);
});

test('when a gateway that worked stops working, the controller reports it as unhealthy and does not roll it back', async () => {
  world.commit({ eng: '1', ops: '2' });
  await world.reconcile();
  world.rollouts.set(ONE, { state: 'progressing', message: '0 of 1 pods are ready' });
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.conditions('Healthy', 'Ready')).toEqual(['Ready=True(Succeeded)', 'Healthy=False(HealthCheckFailed)']);
  expect(world.status.gatewaysReady).toBe('1/2');
  expect(world.done.filter(step => step.startsWith('restore'))).toEqual([]);
});
