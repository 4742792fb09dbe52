import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Condition, GatewaySourceStatus } from '#schemas';
import type { FoundDiagnostic } from '../../../controller/compile/index.ts';
import type { KubeObject } from '../../../controller/kube/index.ts';
import { formatDiagnostics } from '../../../controller/status/diagnostics-text.ts';
import {
  computeSourceStatus,
  formatCompiledMessage,
  type SourceState,
  type SourceStatusInput,
  type UnitState,
} from '../../../controller/status/index.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { StatusInvariants } from '../../support/status-invariants.ts';

const now = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const READY: SourceState = { state: 'ready', reason: 'Succeeded', message: 'applied main@sha1:1' };
const facts = (more: Partial<SourceStatusInput> = {}): SourceStatusInput => ({
  generation: 1,
  now: now(0),
  state: READY,
  ...more,
});
const said = (conditions: readonly Condition[] = []) =>
  conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

function finding(severity: FoundDiagnostic['severity'], more: Partial<FoundDiagnostic> = {}): FoundDiagnostic {
  return { code: 'LNT2001', severity, message: 'no MCPGroup named "a"', file: 'specs/a.yaml', line: 12, ...more };
}

describe('where it stands', () => {
  test.each<[state: SourceState, conditions: readonly string[], observed: number | undefined]>([
    [READY, ['Ready=True Succeeded'], 1],
    [
      { state: 'progressing', reason: 'Progressing', message: 'm' },
      ['Ready=Unknown Progressing', 'Reconciling=True Progressing'],
      undefined,
    ],
    [
      { state: 'retrying', reason: 'FetchFailed', message: 'm' },
      ['Ready=False FetchFailed', 'Reconciling=True ProgressingWithRetry'],
      undefined,
    ],
    [
      { state: 'stalled', reason: 'CompilationFailed', message: 'm' },
      ['Ready=False CompilationFailed', 'Stalled=True CompilationFailed'],
      1,
    ],
    [
      { state: 'suspended', reason: 'Suspended', message: 'm' },
      ['Ready=Unknown Suspended', 'Suspended=True Suspended'],
      1,
    ],
  ])('the state %j of a source gives the expected conditions and observedGeneration', (state, conditions, observed) => {
    const status = computeSourceStatus(facts({ state }));
    expect(said(status.conditions)).toEqual(conditions);
    expect(status.observedGeneration).toBe(observed);
  });

  test('the status of a source keeps its observedGeneration while the controller still works on the next generation', () => {
    const before = computeSourceStatus(facts());
    const state = { state: 'progressing', reason: 'Progressing', message: 'm' } as const;
    expect(computeSourceStatus(facts({ generation: 2, state }), before)).toMatchObject({
      observedGeneration: 1,
      conditions: [{ observedGeneration: 2 }, { observedGeneration: 2 }],
    });
  });
});

describe('steps', () => {
  const compiled = { status: 'False', reason: 'CompilationFailed', message: 'm' } as const;

  test('a reconcile sets, keeps or removes the condition of each of its steps in the status of a source', () => {
    const first = computeSourceStatus(
      facts({ steps: { Compiled: compiled, RolledBack: { ...compiled, status: 'True' } } }),
    );
    expect(said(first.conditions)).toEqual([
      'Ready=True Succeeded',
      'Compiled=False CompilationFailed',
      'RolledBack=True CompilationFailed',
    ]);
    expect(said(computeSourceStatus(facts(), first).conditions)).toEqual(said(first.conditions));
    const gone = computeSourceStatus(facts({ steps: { RolledBack: null, Compiled: undefined } }), first);
    expect(said(gone.conditions)).toEqual(['Ready=True Succeeded', 'Compiled=False CompilationFailed']);
  });
});

describe('what is not given stays', () => {
  const FULL: Partial<SourceStatusInput> = {
    attemptedRevision: 'main@sha1:2',
    appliedRevision: 'main@sha1:1',
    verifiedCommit: 'c',
    verifiedBy: 'SHA256:k',
    handledRequest: 'now',
    digest: 'sha256:d',
    units: [{ kind: 'gateway', namespace: 'a', name: 'g', digest: 'sha256:1', activeDigest: 'sha256:1' }],
    ready: '1/1',
    compiled: { diagnostics: [finding('warning')], counts: { errors: 0, warnings: 1, hints: 0 } },
    inventory: [{ id: 'a_g_lintel.dev_VirtualMCPServer', v: 'v1beta1', uid: 'u' }],
    attempt: {
      revision: 'main@sha1:2',
      digest: 'sha256:d',
      reason: 'Succeeded',
      durationMs: 20,
      verifiedBy: 'SHA256:k',
    },
    posted: 'p',
  };
  const full = computeSourceStatus(facts(FULL));

  test('the status of a source has a field for each fact that a reconcile reports', () => {
    expect(full).toEqual({
      observedGeneration: 1,
      conditions: [expect.objectContaining({ type: 'Ready' })],
      lastAttemptedRevision: 'main@sha1:2',
      lastAppliedRevision: 'main@sha1:1',
      lastVerifiedCommit: 'c',
      verifiedBy: 'SHA256:k',
      lastHandledReconcileAt: 'now',
      digest: 'sha256:d',
      gatewaysReady: '1/1',
      gateways: [{ kind: 'gateway', namespace: 'a', name: 'g', digest: 'sha256:1', activeDigest: 'sha256:1' }],
      diagnostics: [finding('warning')],
      inventory: { entries: [{ id: 'a_g_lintel.dev_VirtualMCPServer', v: 'v1beta1', uid: 'u' }] },
      history: [
        {
          revision: 'main@sha1:2',
          digest: 'sha256:d',
          status: 'Succeeded',
          firstReconciled: '2026-01-01T00:00:00Z',
          lastReconciled: '2026-01-01T00:00:00Z',
          totalReconciliations: 1,
          duration: '20ms',
          verifiedBy: 'SHA256:k',
        },
      ],
      lastPosted: 'p',
    });
  });

  test('a source status keeps the fields that the next reconcile does not report', () => {
    expect(computeSourceStatus(facts({ now: now(9) }), full)).toEqual(full);
  });

  test('an empty list that a reconcile reports replaces the list in the source status', () => {
    const none = { diagnostics: [], counts: { errors: 0, warnings: 0, hints: 0 } };
    const empty = computeSourceStatus(facts({ units: [], inventory: [], compiled: none }), full);
    expect(empty).toMatchObject({ gateways: [], inventory: { entries: [] }, diagnostics: [] });
  });
});

describe('gateways', () => {
  const unit = (name: string, more: Partial<UnitState> = {}): UnitState => ({
    kind: 'gateway',
    namespace: 'a',
    name,
    digest: 'sha256:1',
    ...more,
  });

  test('the status of a source lists its gateways by namespace, name and kind', () => {
    const units = [unit('b'), { ...unit('a'), kind: 'registry' as const }, unit('z', { namespace: 'A' }), unit('a')];
    expect(
      computeSourceStatus(facts({ units })).gateways?.map(({ kind, namespace, name }) => [kind, namespace, name]),
    ).toEqual([
      ['gateway', 'A', 'z'],
      ['gateway', 'a', 'a'],
      ['gateway', 'a', 'b'],
      ['registry', 'a', 'a'],
    ]);
  });
});

describe('findings', () => {
  test.each<[name: string, diagnostics: readonly FoundDiagnostic[], text: string | undefined]>([
    ['no finding', [], undefined],
    ['one finding', [finding('error')], 'specs/a.yaml:12: LNT2001: no MCPGroup named "a"'],
    [
      'the first error before earlier hints',
      [finding('hint'), finding('error', { code: 'LNT1003' }), finding('error')],
      'specs/a.yaml:12: LNT1003: no MCPGroup named "a" (+1 more)',
    ],
    [
      'a finding without a line',
      [finding('error', { line: undefined } as object)],
      'specs/a.yaml: LNT2001: no MCPGroup named "a"',
    ],
    [
      'a finding without a file',
      [{ code: 'LNT2001', severity: 'error', message: 'm', object: 'MCPGroup/a/b' }],
      'MCPGroup/a/b: LNT2001: m',
    ],
    ['a finding without a place', [{ code: 'LNT2001', severity: 'error', message: 'm' }], 'LNT2001: m'],
  ])('the message of the condition Compiled shows the findings of the compilation: %s', (_, diagnostics, text) => {
    expect(formatDiagnostics(diagnostics)).toBe(text);
  });

  test('the message of the condition Compiled counts the findings that the status leaves out', () => {
    const diagnostics = Array.from({ length: 20 }, () => finding('error'));
    expect(formatCompiledMessage({ diagnostics, counts: { errors: 31, warnings: 7, hints: 0 } })).toMatch(
      / \(\+30 more\)$/,
    );
  });

  test('the message of the condition Compiled says that a file could not be read if a failed compilation has no findings', () => {
    expect(formatCompiledMessage({ diagnostics: [], counts: { errors: 0, warnings: 0, hints: 0 } })).toBe(
      'a file could not be read',
    );
  });

  test('the status of a source lists at most 20 findings, errors first', () => {
    const diagnostics = Array.from({ length: 30 }, (_, index) =>
      finding(index < 15 ? 'hint' : 'error', { line: index }),
    );
    const counts = { errors: 15, warnings: 0, hints: 15 };
    const listed = computeSourceStatus(facts({ compiled: { diagnostics, counts } })).diagnostics ?? [];
    expect(listed.map(({ line }) => line)).toEqual([...Array.from({ length: 15 }, (_, i) => i + 15), 0, 1, 2, 3, 4]);
  });
});

describe('history', () => {
  const attempt = (revision: string, more: object = {}) => ({
    revision,
    digest: 'sha256:d',
    reason: 'Succeeded' as const,
    durationMs: 1500,
    ...more,
  });
  const run = (...attempts: readonly ReturnType<typeof attempt>[]) =>
    attempts.reduce<GatewaySourceStatus>(
      (before, one, index) => computeSourceStatus(facts({ attempt: one, now: now(index) }), before),
      {},
    ).history ?? [];

  test('the history of a source counts a second attempt at the same revision and digest in the same entry', () => {
    expect(run(attempt('a', { reason: 'Progressing' }), attempt('a'))).toEqual([
      {
        revision: 'a',
        digest: 'sha256:d',
        status: 'Succeeded',
        firstReconciled: '2026-01-01T00:00:00Z',
        lastReconciled: '2026-01-01T00:00:01Z',
        totalReconciliations: 2,
        duration: '1.5s',
      },
    ]);
  });

  test('the history of a source gets a new entry when the same revision is compiled to different bundles', () => {
    expect(run(attempt('a'), attempt('a', { digest: 'sha256:e' })).map(({ digest }) => digest)).toEqual([
      'sha256:e',
      'sha256:d',
    ]);
  });

  test('the history of a source has five entries, newest first', () => {
    expect(run(...[...'abcdefg'].map(revision => attempt(revision))).map(({ revision }) => revision)).toEqual([
      ...'gfedc',
    ]);
  });

  test.each([
    [0, '0ms'],
    [999.6, '1s'],
    [999.4, '999ms'],
    [61_000, '1m1s'],
    [-5, '0ms'],
  ])('the history of a source shows a duration of %i ms as %s', (durationMs, text) => {
    expect(run(attempt('a', { durationMs }))[0]?.duration).toBe(text);
  });
});

/** For any results of reconciles, in any order and by any clock: the invariants hold, and the previous status is not mutated. */
test('the status of a source keeps all its invariants for random states', () => {
  const cause = fc.record({
    reason: fc.constantFrom('Succeeded' as const, 'FetchFailed' as const, 'PruneBlocked' as const),
    message: fc.string({ minLength: 1, unit: anyCharacter }),
  });
  const state = fc
    .tuple(fc.constantFrom('ready', 'progressing', 'retrying', 'stalled', 'suspended'), cause)
    .map(([name, said]) => ({ state: name, ...said }) as SourceState);
  const verdict = fc.option(
    fc
      .tuple(fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const), cause)
      .map(([status, said]) => ({ status, ...said })),
  );
  const name = fc.constantFrom('a', 'b', 'c');
  const unit = fc.record({
    kind: fc.constantFrom('gateway' as const, 'registry' as const),
    namespace: name,
    name,
    digest: name,
  });
  const run = fc.record(
    {
      newGeneration: fc.boolean(),
      now: fc.date({ min: now(0), max: now(59), noInvalidDate: true }),
      state,
      steps: fc.dictionary(fc.constantFrom('Compiled', 'Applied', 'Healthy', 'RolledBack'), verdict),
      attemptedRevision: name,
      units: fc.uniqueArray(unit, { selector: one => `${one.kind} ${one.namespace} ${one.name}` }),
      compiled: fc.record({
        diagnostics: fc.array(
          fc.constantFrom('error' as const, 'warning' as const, 'hint' as const).map(one => finding(one)),
          { maxLength: 30 },
        ),
        counts: fc.constant({ errors: 0, warnings: 0, hints: 0 }),
      }),
      inventory: fc.uniqueArray(name).map(ids => ids.map(id => ({ id, v: 'v1', uid: 'u' }))),
      attempt: fc.record({
        revision: name,
        digest: name,
        reason: fc.constant('Succeeded' as const),
        durationMs: fc.nat(),
      }),
    },
    { requiredKeys: ['newGeneration', 'now', 'state'] },
  );
  fc.assert(
    fc.property(fc.array(run, { maxLength: 20 }), runs => {
      const invariants = new StatusInvariants();
      let generation = 1;
      let status: GatewaySourceStatus = {};
      for (const { newGeneration, ...found } of runs) {
        if (newGeneration) generation += 1;
        const frozen = structuredClone(status);
        const next = computeSourceStatus({ generation, ...found } as SourceStatusInput, status);
        expect(status).toEqual(frozen);
        status = next;
        invariants.inputChanged();
        invariants.see({ ...OBJECT, metadata: { ...OBJECT.metadata, generation }, status });
      }
      expect(invariants.violations).toEqual([]);
    }),
    { seed: 20261122, numRuns: 300 },
  );
});

const OBJECT: KubeObject = {
  apiVersion: 'lintel.dev/v1beta1',
  kind: 'GatewaySource',
  metadata: { namespace: 'a', name: 'prod' },
};
