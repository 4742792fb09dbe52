/** What a reconcile did at the destination; up to the failure, if one ended it. */
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
  /** The state of the pods; undefined when they were not observed. */
  readonly rollouts?: readonly Rollout[];
  readonly health: readonly HealthResult[];
  /** Whether the destination reports the health of gateways. */
  readonly knowsHealth?: boolean;
  readonly pendingApproval?: PrunedState['pendingApproval'];
  readonly leaving: PrunedState['leaving'];
  readonly deleted?: PrunedState['deleted'];
  /** The failure that ended the work at the destination. */
  readonly failure?: ReconcileError | undefined;
}

/** What the status says about the work at the destination. */
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
