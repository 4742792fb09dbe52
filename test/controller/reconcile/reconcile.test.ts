/** Whole reconciles: the steps and the status of a good revision, requests, suspension and aborts. */
import { afterEach, expect, test } from 'vitest';
import { ReconcileError } from '../../../controller/reconcile/index.ts';
import { badOutcome, digestOfVersion, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const INTERVAL_MS = 60_000;
const [ONE, TWO] = ['1', '2'].map(digestOfVersion) as [string, string];

test('the controller compiles and applies a good revision, and reports its gateways as healthy', async () => {
  const commit = world.commit({ eng: '1' });
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.done).toEqual([
    'keep',
    'fetch',
    'status',
    'compile',
    'plan',
    'status',
    'apply eng',
    'rollouts',
    'status',
  ]);
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.status).toMatchObject({
    observedGeneration: 1,
    lastAttemptedRevision: `main@sha1:${commit}`,
    lastAppliedRevision: `main@sha1:${commit}`,
    gatewaysReady: '1/1',
    gateways: [{ kind: 'gateway', namespace: 'team', name: 'eng', digest: ONE, activeDigest: ONE }],
    inventory: { entries: [{ id: ID_OF('eng'), uid: 'uid-1' }] },
    history: [{ status: 'Succeeded', totalReconciliations: 1 }],
  });
  expect(world.conditions()).toEqual([
    'Ready=True(Succeeded)',
    'Applied=True(Succeeded)',
    'Compiled=True(Succeeded)',
    'Healthy=True(Succeeded)',
  ]);
  expect(world.events).toEqual(['Normal NewRevision', 'Normal Succeeded']);
});

test('a reconcile without a new commit compiles nothing and writes nothing', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.done).toEqual(['fetch', 'plan', 'rollouts']);
});

test('lastHandledReconcileAt of a source has the value of the annotation requested-at that requested the reconcile', async () => {
  world.commit({ eng: '1' });
  world.annotate('requested-at', '2026-11-01T00:00:00Z');
  await world.reconcile();
  expect(world.status.lastHandledReconcileAt).toBe('2026-11-01T00:00:00Z');
});

test('a reconcile that an annotation requests stays pending while the repository cannot be reached', async () => {
  world.annotate('requested-at', 'now');
  world.head = new ReconcileError('FetchFailed', 'retry', 'cannot reach example.com');
  await world.reconcile();
  expect(world.status).not.toHaveProperty('lastHandledReconcileAt');
  world.head = new ReconcileError('AuthenticationFailed', 'stalled', 'the token was refused');
  await world.reconcile();
  expect(world.status.lastHandledReconcileAt).toBe('now');
  world.annotate('requested-at', 'later');
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(world.status.lastHandledReconcileAt).toBe('later');
});

test('the DefinitionsOutdated condition and one event report CRDs older than the controller, until an upgrade', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(world.conditions('Ready', 'DefinitionsOutdated')).toEqual(['Ready=True(Succeeded)']);
  world.definitionsProblem = 'they lack spec.description of MCPGroup';
  await world.reconcile();
  await world.reconcile();
  expect(world.conditions('Ready', 'DefinitionsOutdated')).toEqual([
    'Ready=True(Succeeded)',
    'DefinitionsOutdated=True(DefinitionsOutdated)',
  ]);
  expect(world.message('DefinitionsOutdated')).toBe('they lack spec.description of MCPGroup');
  expect(world.messages.filter(message => message.startsWith('they lack'))).toHaveLength(1);
  world.definitionsProblem = undefined;
  await world.reconcile();
  expect(world.conditions('DefinitionsOutdated')).toHaveLength(1);
  world.definitionsProblem = null;
  await world.reconcile();
  expect(world.conditions('DefinitionsOutdated')).toEqual([]);
});

test('the controller fetches, compiles and applies nothing for a suspended source', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.commit({ eng: '2' });
  world.edit({ suspend: true });
  expect(await world.reconcile()).toBeUndefined();
  expect(world.done).toEqual(['status']);
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.conditions('Ready', 'Suspended')).toEqual(['Ready=True(Succeeded)', 'Suspended=True(Suspended)']);
  expect(world.status.observedGeneration).toBe(2);
  expect([world.events.at(-1), world.settled.at(-1)?.source.spec.suspend]).toEqual(['Normal Suspended', true]);
  expect([await world.reconcile(), world.done]).toEqual([undefined, []]);
  expect(world.events.filter(event => event === 'Normal Suspended')).toHaveLength(1);
  world.edit({ suspend: false });
  await world.reconcile();
  expect(world.running()).toEqual({ eng: TWO });
  expect(world.conditions('Ready', 'Suspended')).toEqual(['Ready=True(Succeeded)']);
});

test('a suspended source stays stalled if it was stalled, and is progressing if a rollout was under way', async () => {
  world.commit(badOutcome());
  await world.reconcile();
  world.edit({ suspend: true });
  await world.reconcile();
  const stalled = ['Ready=False(CompilationFailed)', 'Stalled=True(CompilationFailed)'];
  expect(world.conditions('Ready', 'Stalled', 'Reconciling')).toEqual(stalled);
  world.edit({ suspend: false });
  world.rollouts.set(ONE, { state: 'progressing', message: '0 of 1 pods are ready' });
  world.commit({ eng: '1' });
  await world.reconcile();
  world.edit({ suspend: true });
  await world.reconcile();
  expect(world.conditions('Ready', 'Stalled', 'Reconciling')).toEqual(['Ready=Unknown(Progressing)']);
});

test('an aborted reconcile ends without a further write to the cluster', async () => {
  world.commit({ eng: '1' });
  const controller = new AbortController();
  world.onStep = step => {
    if (step === 'plan') controller.abort(new Error('stopping'));
    controller.signal.throwIfAborted();
  };
  await expect(world.reconcile(controller.signal)).rejects.toThrow('stopping');
  expect(world.done).toEqual(['keep', 'fetch', 'status', 'compile']);
});
