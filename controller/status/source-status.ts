/** Computes the status of a GatewaySource from the results of a reconcile. */
import type { Condition, GatewaySourceStatus, SourceGateway } from '#schemas';
import { compareText } from '#schemas';
import type { CompileOutcome } from '../compile/index.ts';
import {
  type Cause,
  markReady,
  markReconciling,
  markRetrying,
  markStalled,
  markSuspended,
  removeConditions,
  type Stamp,
  setCondition,
} from './conditions.ts';
import { formatDiagnostics, MAX_DIAGNOSTICS, sortByGravity } from './diagnostics-text.ts';
import { type RevisionAttempt, withAttempt } from './history.ts';
import type { Reason } from './reason.ts';
import type { InventoryEntry, UnitState } from './recorded-state.ts';

/** The state of a source at the end of a reconcile. */
export interface SourceState extends Cause<Reason> {
  /**
   * - `ready`: the cluster matches the newest revision.
   * - `progressing`: work is in progress, or pods are starting.
   * - `retrying`: a failure that may resolve itself.
   * - `stalled`: a failure that lasts until an input changes.
   * - `suspended`: the spec suspends the source; `Ready` keeps its value, and `Suspended` is set.
   */
  readonly state: 'ready' | 'progressing' | 'retrying' | 'stalled' | 'suspended';
}

/** The result of one step. */
export interface StepCondition extends Cause<Reason> {
  readonly status: Condition['status'];
}

/** Steps with their own condition. */
export type ConditionType =
  | 'SourceVerified'
  | 'Compiled'
  | 'Applied'
  | 'Healthy'
  | 'DriftDetected'
  | 'RolledBack'
  | 'ProgramsSkipped'
  | 'DefinitionsOutdated';

/** Members other than `generation`, `now` and `state` keep their values when they are omitted. */
export interface SourceStatusInput {
  readonly generation: number;
  readonly now: Date;
  readonly state: SourceState;
  /** The conditions of steps; null removes a condition, and undefined leaves it as it is. */
  readonly steps?: { readonly [S in ConditionType]?: StepCondition | null | undefined };
  readonly attemptedRevision?: string | undefined;
  readonly appliedRevision?: string | undefined;
  /** `spec.path` of the applied revision. */
  readonly appliedPath?: string | undefined;
  readonly verifiedCommit?: string | undefined;
  readonly verifiedBy?: string | undefined;
  /** Value of annotation `lintel.dev/requested-at`. */
  readonly handledRequest?: string | undefined;
  /** Digest of all bundles of the applied revision. */
  readonly digest?: string | undefined;
  readonly units?: readonly UnitState[] | undefined;
  /** How many gateways and registry servers ran the desired state when last observed, such as `3/4`. */
  readonly ready?: string | undefined;
  readonly compiled?: Pick<CompileOutcome, 'diagnostics' | 'counts'> | undefined;
  readonly inventory?: readonly InventoryEntry[] | undefined;
  /** Only for an actual attempt: a reconcile without changes is not recorded. */
  readonly attempt?: RevisionAttempt | undefined;
  readonly posted?: string | undefined;
}

/** Pure: the same input and the same `before` give the same status. */
export function computeSourceStatus(input: SourceStatusInput, before: GatewaySourceStatus = {}): GatewaySourceStatus {
  const { generation, now, state, units, compiled, inventory, attempt } = input;
  const isSettled = state.state !== 'progressing' && state.state !== 'retrying';
  const stamp = { generation, now };
  return withoutAbsent<GatewaySourceStatus>({
    ...before,
    observedGeneration: isSettled ? generation : before.observedGeneration,
    conditions: settleConditions(withSteps(before.conditions ?? [], input.steps ?? {}, stamp), state, stamp),
    lastAttemptedRevision: input.attemptedRevision ?? before.lastAttemptedRevision,
    lastAppliedRevision: input.appliedRevision ?? before.lastAppliedRevision,
    lastAppliedPath: input.appliedPath ?? before.lastAppliedPath,
    lastVerifiedCommit: input.verifiedCommit ?? before.lastVerifiedCommit,
    verifiedBy: input.verifiedBy ?? before.verifiedBy,
    lastHandledReconcileAt: input.handledRequest ?? before.lastHandledReconcileAt,
    digest: input.digest ?? before.digest,
    gatewaysReady: input.ready ?? before.gatewaysReady,
    gateways: units === undefined ? before.gateways : units.toSorted(compareByUnit).map(toGatewayEntry),
    diagnostics: compiled === undefined ? before.diagnostics : toDiagnostics(compiled),
    inventory:
      inventory === undefined
        ? before.inventory
        : { entries: inventory.toSorted((a, b) => compareText(a.id, b.id)).map(({ id, v, uid }) => ({ id, v, uid })) },
    history: attempt === undefined ? before.history : withAttempt(before.history ?? [], attempt, now),
    lastPosted: input.posted ?? before.lastPosted,
  });
}

/** The message of `Compiled=False`: the most severe finding with its location, and the number of others. */
export function formatCompiledMessage(outcome: Pick<CompileOutcome, 'diagnostics' | 'counts'>): string {
  return formatDiagnostics(outcome.diagnostics, outcome.counts) ?? 'a file could not be read';
}

function withSteps(
  conditions: readonly Condition[],
  steps: { readonly [S in ConditionType]?: StepCondition | null | undefined },
  stamp: Stamp,
): readonly Condition[] {
  let list = conditions;
  for (const [type, verdict] of Object.entries(steps)) {
    if (verdict === null) list = removeConditions(list, type);
    else if (verdict !== undefined) list = setCondition(list, { type, ...verdict }, stamp);
  }
  return list;
}

function settleConditions(conditions: readonly Condition[], state: SourceState, stamp: Stamp): readonly Condition[] {
  const { reason, message } = state;
  const cause = { reason, message };
  switch (state.state) {
    case 'ready':
      return markReady(conditions, cause, stamp);
    case 'progressing':
      return markReconciling(conditions, cause, stamp);
    case 'retrying':
      return markRetrying(conditions, cause, stamp);
    case 'stalled':
      return markStalled(conditions, cause, stamp);
    case 'suspended':
      return markSuspended(conditions, cause, stamp);
  }
}

function compareByUnit(a: UnitState, b: UnitState): number {
  return compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

function toGatewayEntry({ kind, namespace, name, ...rest }: UnitState): SourceGateway {
  const { digest, release, activeDigest, activeRelease, activeManifests } = rest;
  const { heldDigest, heldRelease, message, since } = rest;
  return withoutAbsent({
    ...{ kind, namespace, name, digest, release },
    ...{ activeDigest, activeRelease, activeManifests, heldDigest, heldRelease, message, since },
  });
}

function toDiagnostics({ diagnostics }: Pick<CompileOutcome, 'diagnostics'>): GatewaySourceStatus['diagnostics'] {
  return sortByGravity(diagnostics)
    .slice(0, MAX_DIAGNOSTICS)
    .map(({ code, severity, message, file, line, column, object }) =>
      withoutAbsent({ code, severity, message, file, line, column, object }),
    );
}

/** Removes undefined members, which JSON cannot represent. */
function withoutAbsent<T extends object>(value: { readonly [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
