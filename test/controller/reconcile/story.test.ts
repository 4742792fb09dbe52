/** The story, branch by branch: what a run does, what it writes down, and when it comes again. */
import { afterEach, expect, test } from 'vitest';
import { failedOutcome } from '../../../controller/compile/failed-outcome.ts';
import { createCommitReport } from '../../../controller/forge/create-commit-report.ts';
import { PartlyApplied, ReconcileError, type ReconcileReport } from '../../../controller/reconcile/index.ts';
import { badOutcome, digestOfVersion, goodOutcome, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const INTERVAL_MS = 60_000;
const PROGRESS_MS = 2_000;
const [ONE, TWO, THREE] = ['1', '2', '3'].map(digestOfVersion) as [string, string, string];

test('a good revision is compiled, applied and promoted', async () => {
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

test('a run that finds nothing new writes nothing and compiles nothing', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.done).toEqual(['fetch', 'plan', 'rollouts']);
});

test.each([
  ['another revision', () => world.commit({ eng: '1', ops: '1' })],
  ['an edit of the source', () => world.edit({ targetNamespace: 'team' })],
  ['a request', () => world.annotate('requested-at', 'now')],
  ['an object of the cluster', () => (world.clusterDigest = 'other')],
  ['a new day, on which suppressions may expire', () => world.pass(86_400_000)],
])('%s is compiled again', async (_, change) => {
  world.commit({ eng: '1' });
  await world.reconcile();
  change();
  await world.reconcile();
  expect(world.done).toContain('compile');
});

test('who asks for a run finds the value handled', async () => {
  world.commit({ eng: '1' });
  world.annotate('requested-at', '2026-11-01T00:00:00Z');
  await world.reconcile();
  expect(world.status.lastHandledReconcileAt).toBe('2026-11-01T00:00:00Z');
});

test('a request that cannot reach the repository stays one until something is done', async () => {
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

test('the status at the forge says how many pods run the bundle', async () => {
  world.rollouts.set(ONE, { state: 'active', message: 'active on 3/3 pods' });
  const commit = world.commit({ eng: '1' });
  await world.reconcile();
  const facts = createCommitReport(world.told.at(-1) as ReconcileReport);
  expect(facts?.units).toMatchObject([
    { name: 'eng', state: 'success', description: `active on 3/3 pods at ${commit.slice(0, 12)}` },
  ]);
});

test('what a plan notes is said as long as what was applied with it stays, and not without end', async () => {
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
  ['is refused', { state: 'refused', message: 'no' }, 0],
  ['is not healthy in time', { state: 'progressing', message: 'image cannot be pulled' }, 301_000],
] as const)(
  'a renamed gateway that %s leaves the former one in service, says so, and takes consent',
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
      `1 deletion waits until gateway team/new has run once; to agree, annotate the GatewaySource with lintel.dev/allow-deletions: ${commit}`,
    );
    world.annotate('allow-deletions', commit);
    await world.reconcile();
    expect(world.running()).toEqual({ new: TWO, ops: THREE });
    expect(world.message('Ready')).not.toContain('waits');
  },
);

test('a new gateway that fails keeps nothing that never served', async () => {
  world.rollouts.set(ONE, { state: 'refused', message: 'no' });
  world.rollouts.set(TWO, { state: 'refused', message: 'no' });
  world.commit({ first: '1', ops: '3' });
  await world.reconcile();
  world.commit({ second: '2', ops: '3' });
  await world.reconcile();
  expect(world.running()).toEqual({ ops: THREE, second: TWO });
});

test('a bad revision stalls, names file and line, and the last good one stays', async () => {
  const good = world.commit({ eng: '1' });
  await world.reconcile();
  const bad = world.commit(badOutcome());
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.status).toMatchObject({
    lastAttemptedRevision: `main@sha1:${bad}`,
    lastAppliedRevision: `main@sha1:${good}`,
    diagnostics: [{ code: 'LNT1003', file: 'gateways/eng.yaml', line: 7 }],
    history: [{ status: 'CompilationFailed' }, { status: 'Succeeded' }],
  });
  expect(world.conditions('Ready', 'Stalled', 'Reconciling', 'Compiled')).toEqual([
    'Ready=False(CompilationFailed)',
    'Stalled=True(CompilationFailed)',
    'Compiled=False(CompilationFailed)',
  ]);
  expect(world.message('Ready')).toBe(`main@sha1:${bad}: gateways/eng.yaml:7: LNT1003: unknown field "toolz"`);
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.done).not.toContain('compile');
  world.commit({ eng: '2' });
  await world.reconcile();
  expect([world.running(), world.conditions('Ready', 'Stalled')]).toEqual([{ eng: TWO }, ['Ready=True(Succeeded)']]);
});

test('while the newest revision is bad, drift of the last good one is still put right, by a new process too', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.commit(badOutcome());
  await world.reconcile();
  world.live.set(ID_OF('eng'), { uid: 'uid-1', digest: 'by hand', applied: ONE });
  world.restart();
  await world.reconcile();
  expect(world.done).toContain('earlier');
  expect(world.running()).toEqual({ eng: ONE });
  expect(world.conditions('Ready')).toEqual(['Ready=False(CompilationFailed)']);
});

test('an old revision is not read in a new way', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.commit(badOutcome());
  world.edit({ path: 'elsewhere' });
  world.restart();
  await world.reconcile();
  expect(world.done).not.toContain('plan');
  expect(world.running()).toEqual({ eng: ONE });
});

test.each([
  ['an object elsewhere', { code: 'LNT1060', message: 'namespace "x" is not "team"' }, 'PolicyDenied'],
  ['a limit', { code: 'LNT1061', message: 'compiling took longer than 60 s' }, 'CompilationFailed'],
])('%s has its reason', async (_, { code, message }, reason) => {
  world.commit({ ...badOutcome(), diagnostics: [{ code, severity: 'error', message, file: 'a.yaml', line: 2 }] });
  await world.reconcile();
  expect(world.conditions('Ready', 'Stalled')).toEqual([`Ready=False(${reason})`, `Stalled=True(${reason})`]);
  expect(world.message('Ready')).toContain(message);
});

test('a compilation that came to no end is tried again after a while, later each time, and what is applied stays', async () => {
  const limit = { code: 'LNT1061', severity: 'error', message: 'compiling took longer than 60 s', file: '.' } as const;
  const unfinished = { ...failedOutcome([limit]), isUnfinished: true };
  world.commit({ eng: '1' });
  await world.reconcile();
  const busy = world.commit(unfinished);
  expect(await world.reconcile()).toMatchObject({ reason: 'CompilationFailed', next: 'retry' });
  expect(world.conditions('Ready', 'Reconciling', 'Stalled')).toEqual([
    'Ready=False(CompilationFailed)',
    'Reconciling=True(ProgressingWithRetry)',
  ]);
  expect([world.message('Ready'), world.running()]).toEqual([
    `main@sha1:${busy}: .: LNT1061: compiling took longer than 60 s`,
    { eng: ONE },
  ]);
  const compilations: number[] = [];
  for (let minute = 0; minute < 8; minute++) {
    await world.look();
    if (world.done.includes('compile')) compilations.push(minute);
    // Between the tries the status stays as it is.
    else expect(world.done).not.toContain('status');
    world.pass(60_000);
  }
  expect(compilations).toEqual([1, 3, 7]);
  world.outcomes.set(busy, goodOutcome({ eng: '2' }));
  world.pass(15 * 60_000);
  await world.look();
  expect([world.running(), world.conditions('Ready', 'Stalled')]).toEqual([{ eng: TWO }, ['Ready=True(Succeeded)']]);
});

test('programs without any YAML are named', async () => {
  world.commit(goodOutcome({}, { programs: ['main.ts'] }));
  await world.reconcile();
  expect(world.conditions('Ready', 'ProgramsSkipped')).toEqual([
    'Ready=False(RenderRequired)',
    'ProgramsSkipped=True(RenderRequired)',
  ]);
  world.commit(goodOutcome({ eng: '1' }, { programs: ['main.ts'] }));
  await world.reconcile();
  expect(world.conditions('Ready', 'ProgramsSkipped')).toEqual([
    'Ready=True(Succeeded)',
    'ProgramsSkipped=True(RenderRequired)',
  ]);
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(world.conditions('ProgramsSkipped')).toEqual([]);
});

test('definitions that are older than the controller are a condition and one event, until they are upgraded', async () => {
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

test('a failure of the network is tried again, and what is applied is looked after meanwhile', async () => {
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
] as const)('%s stalls', async (reason, message) => {
  world.edit({ verify: { secretRef: { name: 'keys' } } });
  world.head = new ReconcileError(reason, 'stalled', message);
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.conditions('Ready', 'Stalled')).toEqual([`Ready=False(${reason})`, `Stalled=True(${reason})`]);
  const verified = reason === 'SignatureInvalid' ? ['SourceVerified=False(SignatureInvalid)'] : [];
  expect(world.conditions('SourceVerified')).toEqual(verified);
});

test('nothing is done while it is suspended', async () => {
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

test('a source that is suspended while it stalls stays stalled, and one that is under way waits', async () => {
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

test('a rollout is looked at again soon, and a newer revision does not wait for it', async () => {
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

test('the repository is asked once in an interval, however many runs a rollout takes', async () => {
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
  // What was asked 11 s ago is asked again in 19 s, and not in another interval.
  expect(await world.look()).toBe(19_000);
  expect([world.done.includes('fetch'), world.conditions('Ready')]).toEqual([false, ['Ready=True(Succeeded)']]);
});

test.each([
  ['the forge says so', () => (world.memory.isHooked = true)],
  ['another controller was told by the forge', () => world.annotate('hook-at', 'now')],
  ['somebody asks', () => world.annotate('requested-at', 'now')],
  ['the source is edited', () => world.edit({ targetNamespace: 'team' })],
  ['the process is another one', () => world.restart()],
  ['the interval is over', () => world.pass(INTERVAL_MS)],
])('the repository is asked at once when %s', async (_, happens) => {
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

test('a repository that could not be reached is asked by the next run', async () => {
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

test('a bundle that is refused goes back, is held, and not tried again until the spec gives another', async () => {
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

test('going back in the repository ends the hold as well', async () => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.rollouts.set(TWO, { state: 'refused', message: 'no' });
  world.commit({ eng: '2' });
  await world.reconcile();
  world.commit({ eng: '1' });
  await world.reconcile();
  expect(world.conditions('Ready', 'RolledBack')).toEqual(['Ready=True(Succeeded)']);
});

test('a request tries a held bundle once more', async () => {
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

test('what never becomes healthy goes back after its time, counted across a restart and not by a clock that jumps', async () => {
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

test('a first bundle that is refused has nothing to go back to', async () => {
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
])('a first bundle that becomes healthy after its time recovers by itself: %s', async (_, between) => {
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
  expect(world.conditions('Ready', 'Stalled', 'Healthy')).toEqual(['Ready=True(Succeeded)', 'Healthy=True(Succeeded)']);
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
});

test('a bundle that was put back is not promoted again by pods that were late', async () => {
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

test('a gateway that stops working after it ran is reported, not counted as failed, and not rolled back', async () => {
  world.commit({ eng: '1', ops: '2' });
  await world.reconcile();
  world.rollouts.set(ONE, { state: 'progressing', message: '0 of 1 pods are ready' });
  expect(await world.reconcile()).toBe(INTERVAL_MS);
  expect(world.conditions('Healthy', 'Ready')).toEqual(['Ready=True(Succeeded)', 'Healthy=False(HealthCheckFailed)']);
  expect(world.status.gatewaysReady).toBe('1/2');
  expect(world.done.filter(step => step.startsWith('restore'))).toEqual([]);
});

test.each([
  ['correct', { eng: ONE }, [], ['Normal Succeeded', 'Normal DriftCorrected']],
  ['report', { eng: TWO }, ['DriftDetected=True(DriftReported)'], ['Normal Succeeded']],
  ['off', { eng: TWO }, [], ['Normal Succeeded']],
] as const)('drift is handled as asked: %s', async (drift, running, conditions, events) => {
  world.edit({ drift });
  world.commit({ eng: '1' });
  await world.reconcile();
  world.live.set(ID_OF('eng'), { uid: 'uid-1', digest: TWO, applied: ONE });
  await world.reconcile();
  await world.reconcile();
  expect(world.running()).toEqual(running);
  expect(world.conditions('DriftDetected')).toEqual(conditions);
  expect(world.events.slice(1, 3)).toEqual(events);
  // A dry run does not lose the object from the inventory.
  expect(world.status.inventory?.entries).toHaveLength(1);
});

test.each([
  ['a field', { uid: 'uid-1', digest: TWO, applied: ONE }, `put Deployment team/eng right: digest: ${TWO} -> ${ONE}`],
  ['a deletion', undefined, 'created Deployment team/eng again, which another client had deleted'],
] as const)('what is put right is told: %s', async (_, live, message) => {
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
    'a field',
    { uid: 'uid-1', digest: TWO, applied: ONE },
    `1 object changed by others: Deployment team/eng (to put right: digest: ${TWO} -> ${ONE})`,
  ],
  ['a deletion', undefined, '1 object changed by others: Deployment team/eng (deleted)'],
] as const)('what is only reported is told: %s', async (_, live, message) => {
  world.edit({ drift: 'report' });
  world.commit({ eng: '1' });
  await world.reconcile();
  if (live === undefined) world.live.delete(ID_OF('eng'));
  else world.live.set(ID_OF('eng'), live);
  await world.reconcile();
  expect(world.message('DriftDetected')).toBe(message);
});

test('what was applied before a failure is not forgotten', async () => {
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

test('a revision that fails for now does not delay the look for the next one', async () => {
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

test('a server that does not answer is asked later each time', async () => {
  world.head = new ReconcileError('FetchFailed', 'retry', 'cannot reach example.com');
  expect(await world.reconcile()).toMatchObject({ next: 'retry', retryWithinMs: undefined });
});

test('gateways whose deletion is blocked still run, and are counted', async () => {
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

test('an abort ends a run without another word', async () => {
  world.commit({ eng: '1' });
  const controller = new AbortController();
  world.onStep = step => {
    if (step === 'plan') controller.abort(new Error('stopping'));
    controller.signal.throwIfAborted();
  };
  await expect(world.reconcile(controller.signal)).rejects.toThrow('stopping');
  expect(world.done).toEqual(['keep', 'fetch', 'status', 'compile']);
});

test('deleting the source deletes what it applied, and waits until that is gone', async () => {
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
  ['without pruning', { prune: false }],
  ['suspended', { suspend: true }],
  ['of a protected kind', { deletion: { protectedKinds: ['Deployment'] } }],
])('deleting a source leaves everything there: %s', async (_, spec) => {
  world.commit({ eng: '1' });
  await world.reconcile();
  world.edit(spec);
  world.metadata = { ...world.metadata, deletionTimestamp: '2026-11-01T00:00:00Z' };
  await world.reconcile();
  expect([world.running(), world.isKept]).toEqual([{ eng: ONE }, false]);
  expect(world.done).toEqual(['let go of eng', 'forget', 'release']);
});

test('an account that is gone does not keep the source for ever', async () => {
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
