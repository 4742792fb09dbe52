/** What a run of a GatewaySource found out, as the status that it is to have. */
import type { Condition, GatewaySourceStatus, SourceGateway } from '#schemas';
import { compareText } from '#schemas';
import type { CompileOutcome } from '../compile/index.ts';
import type { InventoryEntry, Reason, UnitState } from '../reconcile/index.ts';
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
import { diagnosticsText, gravestFirst, MAX_DIAGNOSTICS } from './diagnostics-text.ts';
import { type Attempt, withAttempt } from './history.ts';

/** Where a source stands at the end of a run. */
export interface SourceState extends Cause<Reason> {
  /**
   * - `ready`: the cluster is as the newest revision has it.
   * - `progressing`: work goes on, pods are awaited.
   * - `retrying`: a failure that goes away by itself, perhaps.
   * - `stalled`: a failure that stays until an input changes.
   * - `suspended`: nothing is done, because the spec says so; `Ready` stays what it was, and condition `Suspended` is there.
   */
  readonly state: 'ready' | 'progressing' | 'retrying' | 'stalled' | 'suspended';
}

/** How one step of a run went. */
export interface StepCondition extends Cause<Reason> {
  readonly status: Condition['status'];
}

/** Steps with a condition of their own. */
export type ConditionType =
  | 'SourceVerified'
  | 'Compiled'
  | 'Applied'
  | 'Healthy'
  | 'DriftDetected'
  | 'RolledBack'
  | 'ProgramsSkipped'
  | 'DefinitionsOutdated';

/** Everything but `generation`, `now` and `state` stays as it was when it is not given. */
export interface SourceStatusInput {
  readonly generation: number;
  readonly now: Date;
  readonly state: SourceState;
  /** Null where there is nothing to say any more: the condition goes. */
  readonly steps?: { readonly [S in ConditionType]?: StepCondition | null | undefined };
  readonly attemptedRevision?: string | undefined;
  readonly appliedRevision?: string | undefined;
  readonly verifiedCommit?: string | undefined;
  readonly verifiedBy?: string | undefined;
  /** Value of annotation `lintel.dev/requested-at`. */
  readonly handledRequest?: string | undefined;
  /** Over all bundles of the applied revision. */
  readonly digest?: string | undefined;
  readonly units?: readonly UnitState[] | undefined;
  /** How many of the units run what they should now, such as `3/4`, as it was looked at. */
  readonly ready?: string | undefined;
  readonly compiled?: Pick<CompileOutcome, 'diagnostics' | 'counts'> | undefined;
  readonly inventory?: readonly InventoryEntry[] | undefined;
  /** Only when something was tried: a look that finds nothing new is no history. */
  readonly attempt?: Attempt | undefined;
  readonly posted?: string | undefined;
}

/** Pure: the same facts and the same `before` give the same status. */
export function sourceStatus(input: SourceStatusInput, before: GatewaySourceStatus = {}): GatewaySourceStatus {
  const { generation, now, state, units, compiled, inventory, attempt } = input;
  const isSettled = state.state !== 'progressing' && state.state !== 'retrying';
  const stamp = { generation, now };
  return withoutAbsent<GatewaySourceStatus>({
    ...before,
    observedGeneration: isSettled ? generation : before.observedGeneration,
    conditions: settle(withSteps(before.conditions ?? [], input.steps ?? {}, stamp), state, stamp),
    lastAttemptedRevision: input.attemptedRevision ?? before.lastAttemptedRevision,
    lastAppliedRevision: input.appliedRevision ?? before.lastAppliedRevision,
    lastVerifiedCommit: input.verifiedCommit ?? before.lastVerifiedCommit,
    verifiedBy: input.verifiedBy ?? before.verifiedBy,
    lastHandledReconcileAt: input.handledRequest ?? before.lastHandledReconcileAt,
    digest: input.digest ?? before.digest,
    gatewaysReady: input.ready ?? before.gatewaysReady,
    gateways: units === undefined ? before.gateways : units.toSorted(byUnit).map(gatewayEntry),
    diagnostics: compiled === undefined ? before.diagnostics : toDiagnostics(compiled),
    inventory:
      inventory === undefined
        ? before.inventory
        : { entries: inventory.toSorted((a, b) => compareText(a.id, b.id)).map(({ id, v, uid }) => ({ id, v, uid })) },
    history: attempt === undefined ? before.history : withAttempt(before.history ?? [], attempt, now),
    lastPosted: input.posted ?? before.lastPosted,
  });
}

/** What `Compiled=False` says: the gravest finding with its place, and how many more there are. */
export function compiledMessage(outcome: Pick<CompileOutcome, 'diagnostics' | 'counts'>): string {
  return diagnosticsText(outcome.diagnostics, outcome.counts) ?? 'something could not be read';
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

function settle(conditions: readonly Condition[], state: SourceState, stamp: Stamp): readonly Condition[] {
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

function byUnit(a: UnitState, b: UnitState): number {
  return compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name);
}

function gatewayEntry({ kind, namespace, name, ...rest }: UnitState): SourceGateway {
  const { digest, release, activeDigest, activeRelease, heldDigest, heldRelease, message, since } = rest;
  return withoutAbsent({
    ...{ kind, namespace, name, digest, release },
    ...{ activeDigest, activeRelease, heldDigest, heldRelease, message, since },
  });
}

function toDiagnostics({ diagnostics }: Pick<CompileOutcome, 'diagnostics'>): GatewaySourceStatus['diagnostics'] {
  return gravestFirst(diagnostics)
    .slice(0, MAX_DIAGNOSTICS)
    .map(({ code, severity, message, file, line, column, object }) =>
      withoutAbsent({ code, severity, message, file, line, column, object }),
    );
}

/** What is undefined is not there: JSON has no other way to say so. */
function withoutAbsent<T extends object>(value: { readonly [Key in keyof T]: T[Key] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
