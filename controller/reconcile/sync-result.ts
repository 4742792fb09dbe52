/** What a reconcile found and did at the destination, as far as it went. */
import { findCondition } from '../status/conditions.ts';
import type { Applied } from './apply.ts';
import type { Rollout } from './destination.ts';
import type { Facts } from './ledger.ts';
import type { Observed } from './observe.ts';
import type { Planned, Target } from './plan.ts';
import type { Pruned } from './prune.ts';
import type { ReconcileError } from './reasons.ts';
import type { ObservedSource } from './surroundings.ts';
import type { Course } from './units.ts';
import { appliedFailure, broughtSteps, readyOf } from './verdicts.ts';

export interface Brought extends Observed, Partial<Pick<Planned, 'plan' | 'drift' | 'guarded'>> {
  readonly applied: Applied['applied'];
  /** How the pods go; undefined when they were not looked at. */
  readonly rollouts?: readonly Rollout[];
  readonly courses: readonly Course[];
  /** False where a destination cannot tell how anything goes. */
  readonly knowsHealth?: boolean;
  readonly waits?: Pruned['waits'];
  readonly leaving: Pruned['leaving'];
  /** The step that ended it. */
  readonly failure?: ReconcileError | undefined;
}

/** What the status says of it. */
export function broughtFacts(source: ObservedSource, { tree, outcome, isNewest }: Target, brought: Brought): Facts {
  const { inventory, units, failure } = brought;
  const facts = { inventory, units, ready: readyOf(brought) };
  if (failure !== undefined) return { ...facts, steps: appliedFailure(failure) };
  const before = findCondition(source.status?.conditions ?? [], 'Applied');
  const steps = broughtSteps(tree, brought, before);
  return { ...facts, steps, ...(isNewest && { appliedRevision: tree.revision, digest: outcome.digest }) };
}
