/** When a reconcile asks the repository for its newest revision, and what follows where it cannot be read. */
import { afterEach, expect, test } from 'vitest';
import { ReconcileError } from '../../../controller/reconcile/index.ts';
import { digestOfVersion, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const INTERVAL_MS = 60_000;
const PROGRESS_MS = 2_000;
const [ONE, TWO] = ['1', '2'].map(digestOfVersion) as [string, string];

test('the controller tries again after a network failure, and corrects drift of applied objects meanwhile', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.head = new ReconcileError('FetchFailed', 'retry', 'cannot reach example.com');
  world.live.delete(ID_OF('eng'));
  expect(await world.reconcile()).toBe(world.head);
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.conditions('Ready', 'Reconciling', 'Stalled')).toEqual([
    'Ready=False(FetchFailed)',
    'Reconciling=True(ProgressingWithRetry)',
  ]);
});

test.each([
  ['AuthenticationFailed', 'the token was refused'],
  ['SignatureInvalid', 'nobody that is trusted signed it'],
] as const)('a source stalls after a fetch with %s', async (reason, message) => {
  world.edit({ verify: { secretRef: { name: 'keys' } } });
  world.head = new ReconcileError(reason, 'stalled', message);
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.conditions('Ready', 'Stalled')).toEqual([`Ready=False(${reason})`, `Stalled=True(${reason})`]);
  const verified = reason === 'SignatureInvalid' ? ['SourceVerified=False(SignatureInvalid)'] : [];
  expect(world.conditions('SourceVerified')).toEqual(verified);
});

test('the controller fetches a repository once in each interval, even if it reconciles the source more often during a rollout', async () => {
  world.edit({ interval: '30s' });
  world.rollouts.set(ONE, { state: 'progressing', message: '0 of 1 pods are ready' });
  world.commit({ eng: '1' });
  expect(await world.look()).toBe(PROGRESS_MS);
  expect(world.done).toContain('fetch');
  const conversations: number[] = [];
  for (let seconds = 2; seconds <= 90; seconds += 2) {
    world.pass(PROGRESS_MS);
    await world.look();
    if (world.done.includes('fetch')) conversations.push(seconds);
  }
  expect(conversations).toEqual([30, 60, 90]);
  world.pass(11_000);
  world.rollouts.clear();
  // A query that was made 11 s ago is repeated in 19 s, not after another whole interval.
  expect(await world.look()).toBe(19_000);
  expect([world.done.includes('fetch'), world.conditions('Ready')]).toEqual([false, ['Ready=True(Succeeded)']]);
});

test.each([
  ['the forge calls the webhook', () => (world.memory.isHooked = true)],
  ['the forge calls the webhook of another replica', () => world.annotate('hook-at', 'now')],
  ['a person asks for it by annotation', () => world.annotate('requested-at', 'now')],
  ['the source is edited', () => world.edit({ targetNamespace: 'team' })],
  ['the controller has restarted', () => world.restart()],
  ['the interval is over', () => world.pass(INTERVAL_MS)],
])('the controller fetches a repository at once when %s', async (_, happens) => {
  world.commit({ eng: '1' });
  await world.look();
  await world.look();
  expect(world.done).not.toContain('fetch');
  happens();
  await world.look();
  expect(world.done).toContain('fetch');
  await world.look();
  expect(world.done).not.toContain('fetch');
});

test('the controller fetches a repository again in the next reconcile after a failed fetch', async () => {
  world.commit({ eng: '1' });
  await world.look();
  const { head } = world;
  world.head = new ReconcileError('FetchFailed', 'retry', 'cannot reach example.com');
  world.pass(INTERVAL_MS);
  await world.look();
  world.head = head;
  await world.look();
  expect([world.done.includes('fetch'), world.conditions('Ready')]).toEqual([true, ['Ready=True(Succeeded)']]);
});

test('the next fetch comes in time although the controller waits for a missing Secret that the revision needs', async () => {
  world.commit({ eng: '1' });
  world.onStep = step => {
    if (step === 'plan') throw new ReconcileError('DependencyNotReady', 'retry', 'Secret team/idp does not exist');
  };
  expect(await world.reconcile()).toMatchObject({ reason: 'DependencyNotReady', retryWithinMs: INTERVAL_MS });
  world.pass(20_000);
  expect(await world.look()).toMatchObject({ reason: 'DependencyNotReady', retryWithinMs: INTERVAL_MS - 20_000 });
  expect(world.done).not.toContain('fetch');
  world.onStep = () => {};
  world.commit({ eng: '2' });
  world.pass(INTERVAL_MS - 20_000);
  await world.look();
  expect(world.running()).toEqual({ eng: TWO });
});

test('the controller waits longer after each failed fetch', async () => {
  world.head = new ReconcileError('FetchFailed', 'retry', 'cannot reach example.com');
  expect(await world.reconcile()).toMatchObject({ next: 'retry', retryWithinMs: undefined });
});
