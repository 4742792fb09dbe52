/** A new image or pod template is rolled out in waves, with health checks and rollback, and the source reports it. */
import { afterEach, expect, test } from 'vitest';
import { digestOfVersion, type Gateways, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const PROGRESS_MS = 2_000;
const INTERVAL_MS = 60_000;

const gateways = (count: number): Gateways =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`g${String(at).padStart(2, '0')}`, '1']));

/** Names of the gateways that run with an image. */
const by = (image: string) =>
  [...world.live].flatMap(([id, live]) => (live.image === image ? [id.split('_')[1]] : [])).sort();

async function inService(count: number): Promise<void> {
  world.edit({ healthTimeout: '1m' });
  world.image = 'runtime:1';
  world.commit(gateways(count));
  await world.reconcile();
  expect(world.conditions('Ready')).toEqual(['Ready=True(Succeeded)']);
  world.image = 'runtime:2';
  world.invariants.inputChanged();
}

test('the controller brings a new runtime image to a tenth of the gateways at a time', async () => {
  await inService(20);
  const reached: number[] = [];
  for (let left = 20; left > 0 && by('runtime:2').length < 20; left--) {
    expect(await world.reconcile()).toBe(reached.length < 9 ? PROGRESS_MS : INTERVAL_MS);
    reached.push(by('runtime:2').length);
    if (by('runtime:2').length < 20) {
      expect(world.conditions('Ready', 'Reconciling')).toEqual([
        'Ready=Unknown(Progressing)',
        'Reconciling=True(Progressing)',
      ]);
      expect(world.message('Ready')).toContain(
        `${20 - by('runtime:2').length} gateways keep the previous image until those before them are healthy`,
      );
      expect(world.status.gatewaysReady).toBe(`${by('runtime:2').length}/20`);
    }
  }
  expect(reached).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
  expect(world.conditions('Ready', 'Healthy')).toEqual(['Ready=True(Succeeded)', 'Healthy=True(Succeeded)']);
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.done.filter(step => /^(apply|status)/.test(step))).toEqual([]);
});

test('the next gateways get a new runtime image only when the previous gateways are healthy, even after a restart', async () => {
  await inService(3);
  world.rollouts.set('g00 by runtime:2', { state: 'progressing', message: '0 of 1 pods are new' });
  for (const _ of [1, 2, 3]) {
    expect(await world.reconcile()).toBe(PROGRESS_MS);
    expect(by('runtime:2')).toEqual(['g00']);
    world.restart();
  }
  world.rollouts.clear();
  await world.reconcile();
  await world.reconcile();
  expect(by('runtime:2')).toEqual(['g00', 'g01']);
});

test.each([
  ['is not healthy in time', { state: 'progressing', message: 'image cannot be pulled' }, 61_000, 'HealthCheckFailed'],
  ['is refused', { state: 'refused', message: 'exit code 2' }, 0, 'BundleRejected'],
] as const)(
  'the controller rolls back a runtime image that %s, and brings it to no further gateway',
  async (_, rollout, ms, reason) => {
    await inService(3);
    world.rollouts.set('g00 by runtime:2', rollout);
    await world.reconcile();
    world.pass(ms);
    await world.reconcile();
    await world.reconcile();
    world.restart();
    expect(await world.reconcile()).toBe(INTERVAL_MS);
    expect(by('runtime:1')).toEqual(['g00', 'g01', 'g02']);
    expect(world.conditions('Ready', 'Stalled', 'RolledBack')).toEqual([
      `Ready=False(${reason})`,
      `Stalled=True(${reason})`,
      `RolledBack=True(${reason})`,
    ]);
    expect(world.message('Ready')).toContain(rollout.message);
    expect(world.message('Ready')).toContain(
      '2 gateways keep the previous image while one with the new image is rolled back',
    );
    world.image = 'runtime:3';
    world.invariants.inputChanged();
    for (const _ of [1, 2, 3]) await world.reconcile();
    expect(by('runtime:3')).toEqual(['g00', 'g01', 'g02']);
    expect(world.conditions('Ready', 'RolledBack')).toEqual(['Ready=True(Succeeded)']);
  },
);

test('a request by annotation makes the controller try a rolled back image once more', async () => {
  await inService(2);
  world.rollouts.set('g00 by runtime:2', { state: 'refused', message: 'no' });
  await world.reconcile();
  await world.reconcile();
  expect(by('runtime:2')).toEqual([]);
  world.rollouts.clear();
  world.annotate('requested-at', 'now');
  for (const _ of [1, 2]) await world.reconcile();
  expect(by('runtime:2')).toEqual(['g00', 'g01']);
  expect(world.conditions('Ready')).toEqual(['Ready=True(Succeeded)']);
});

test('the controller applies a newer bundle at once while a new image is brought to gateways step by step', async () => {
  await inService(3);
  world.rollouts.set('g00 by runtime:2', { state: 'progressing', message: 'slow' });
  await world.reconcile();
  world.commit({ ...gateways(3), g02: '2' });
  await world.reconcile();
  expect(by('runtime:2')).toEqual(['g00', 'g02']);
  expect(world.running().g02).toBe(digestOfVersion('2'));
});

test('the controller restores the former image on all gateways at once', async () => {
  await inService(3);
  world.rollouts.set('g00 by runtime:2', { state: 'progressing', message: 'slow' });
  await world.reconcile();
  world.image = 'runtime:1';
  world.invariants.inputChanged();
  await world.reconcile();
  expect(by('runtime:1')).toEqual(['g00', 'g01', 'g02']);
  expect(world.conditions('Ready')).toEqual(['Ready=True(Succeeded)']);
});
