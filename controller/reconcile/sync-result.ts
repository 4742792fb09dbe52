/** The results of a reconcile at the destination, up to a failure. */
import { findCondition } from '../status/index.ts';
import type { AppliedRevision } from './apply.ts';
import type { ObservedSource } from './context.ts';
import type { Rollout } from './destination.ts';
import type { ObservedState } from './observe.ts';
import type { DesiredRevision, PlannedRevision } from './plan.ts';
import type { PrunedState } from './prune.ts';
import type { ReconcileError } from './reasons.ts';
import type { StatusInput } from './status-writer.ts';
import { applyFailedCondition, countReady, syncConditions } from './step-conditions.ts';
import type { HealthResult } from './unit-states.ts';

export interface SyncResult extends ObservedState, Partial<Pick<PlannedRevision, 'plan' | 'drift' | 'guarded'>> {
  readonly applied: AppliedRevision['applied'];
  /** The state of the pods; undefined when not observed. */
  readonly rollouts?: readonly Rollout[];
  readonly health: readonly HealthResult[];
  /** False for a destination without health reports. */
  readonly knowsHealth?: boolean;
  readonly pendingApproval?: PrunedState['pendingApproval'];
  readonly leaving: PrunedState['leaving'];
  readonly deleted?: PrunedState['deleted'];
  /** The step that ended it. */
  readonly failure?: ReconcileError | undefined;
}

/** The status of the sync. */
export function describeSync(
  source: ObservedSource,
  { tree, outcome, isNewest }: DesiredRevision,
  synced: SyncResult,
): StatusInput {
  const { inventory, units, failure } = synced;
  const summary = { inventory, units, ready: countReady(synced) };
  if (failure !== undefined) return { ...summary, steps: applyFailedCondition(failure) };
  const before = findCondition(source.status?.conditions ?? [], 'Applied');
  const steps = syncConditions(tree, synced, before);
  const asApplied = {
    appliedRevision: tree.revision,
    appliedPath: source.spec.path ?? '.',
    digest: outcome.digest,
  };
  return { ...summary, steps, ...(isNewest && asApplied) };
}
