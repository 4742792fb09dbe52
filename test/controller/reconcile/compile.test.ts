/** What a reconcile compiles, and what a revision that cannot be compiled leaves as it is. */
import { afterEach, expect, test } from 'vitest';
import { createFailedOutcome } from '../../../controller/compile/failed-outcome.ts';
import { badOutcome, digestOfVersion, goodOutcome, ID_OF, World } from '../../support/reconcile-world.ts';

let world = new World();
afterEach(() => {
  expect(world.invariants.violations).toEqual([]);
  world = new World();
});

const INTERVAL_MS = 60_000;
const [ONE, TWO] = ['1', '2'].map(digestOfVersion) as [string, string];

test.each([
  ['a new revision', () => world.commit({ eng: '1', ops: '1' })],
  ['an edit of the source', () => world.edit({ targetNamespace: 'team' })],
  ['a request by annotation', () => world.annotate('requested-at', 'now')],
  ['a change of an object in the cluster', () => (world.clusterDigest = 'other')],
  ['a new day, on which suppressions may expire', () => world.pass(86_400_000)],
])('the controller compiles a source again after %s', async (_, change) => {
  world.commit({ eng: '1' });
  await world.reconcile();
  change();
  await world.reconcile();
  expect(world.done).toContain('compile');
});

test('a source with a bad revision is stalled, its status names file and line, and the last good revision stays applied', async () => {
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

test('the controller corrects drift of the last good revision while the newest revision is bad, even after a restart', async () => {
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

test('a restarted controller does not apply the last good revision when the newest is bad and spec.path was edited', async () => {
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
  [
    'an object outside of the target namespace',
    { code: 'LNT1060', message: 'namespace "x" is not "team"' },
    'PolicyDenied',
  ],
  ['a time limit', { code: 'LNT1061', message: 'compiling took longer than 60 s' }, 'CompilationFailed'],
])(
  'the conditions of a source have the expected reason for a compilation that fails because of %s',
  async (_, { code, message }, reason) => {
    world.commit({ ...badOutcome(), diagnostics: [{ code, severity: 'error', message, file: 'a.yaml', line: 2 }] });
    await world.reconcile();
    expect(world.conditions('Ready', 'Stalled')).toEqual([`Ready=False(${reason})`, `Stalled=True(${reason})`]);
    expect(world.message('Ready')).toContain(message);
  },
);

test('the controller repeats an unfinished compilation after longer and longer waits, and applied objects stay', async () => {
  const limit = { code: 'LNT1061', severity: 'error', message: 'compiling took longer than 60 s', file: '.' } as const;
  const unfinished = { ...createFailedOutcome([limit]), isUnfinished: true };
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
    // The status does not change between attempts.
    else expect(world.done).not.toContain('status');
    world.pass(60_000);
  }
  expect(compilations).toEqual([1, 3, 7]);
  world.outcomes.set(busy, goodOutcome({ eng: '2' }));
  world.pass(15 * 60_000);
  await world.look();
  expect([world.running(), world.conditions('Ready', 'Stalled')]).toEqual([{ eng: TWO }, ['Ready=True(Succeeded)']]);
});

test('the ProgramsSkipped condition reports a repository that has only TypeScript programs', async () => {
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
