/** Plan: the changes that a destination needs for a revision, and the deletions that wait for an operator. Changes nothing. */
import { ALLOW_DELETIONS_ANNOTATION } from '#schemas';
import { findCondition, type InventoryEntry, type UnitState } from '../status/index.ts';
import type { CompiledTree } from './cache.ts';
import type { ApplyPlan, Destination, PlannedChange } from './destination.ts';
import { formatUnitKey, type GuardedDeletions, guardDeletions, isApproved } from './guards.ts';
import type { ObservedState } from './observe.ts';
import { measureStage, type Run } from './run.ts';
import { hasNotes } from './step-conditions.ts';
import { listDesiredUnits } from './unit-states.ts';
import { collectWaitingUnits } from './waves.ts';

/** The desired revision of the destination. */
export interface DesiredRevision extends CompiledTree {
  /** Whether the revision is the newest: an earlier one deletes nothing, because newer objects may be there for a reason. */
  readonly isNewest: boolean;
}

export interface PlannedRevision {
  readonly destination: Destination;
  readonly plan: ApplyPlan;
  /** Every gateway and registry server in the revision. */
  readonly desired: readonly UnitState[];
  /** Keys of gateways and registry servers that wait for their turn to get another image. */
  readonly waiting: ReadonlySet<string>;
  readonly changes: readonly PlannedChange[];
  /** Drift that is not corrected, because the source only reports drift. */
  readonly drift: readonly PlannedChange[];
  readonly guarded: GuardedDeletions;
  /** Whether an operator approved the deletions of this revision. */
  readonly isApproved: boolean;
  /** How an operator approves the deletions that wait; completes a sentence. */
  readonly approvalInstructions: string;
}

/** @throws ReconcileError, and the errors of the destination */
export async function planRevision(
  run: Run,
  target: DesiredRevision,
  { inventory, units }: ObservedState,
): Promise<PlannedRevision> {
  const { source, context, cache, signal } = run;
  const { tree, outcome, isNewest } = target;
  const destination = context.destination(source);
  const asked = listDesiredUnits(outcome.units, units, context.now(), unit => destination.findRelease?.(unit));
  const waiting = collectWaitingUnits(asked, units);
  const desired = asked.map(state => (waiting.has(formatUnitKey(state)) ? asItRuns(state) : state));
  const heldUnits = desired.filter(({ heldDigest }) => heldDigest !== undefined).map(formatUnitKey);
  const before = {
    inventory,
    units,
    lastAppliedRevision: source.status?.lastAppliedRevision,
    stays: new Set([...heldUnits, ...waiting]),
    // Notes are checked only as often as the repository is queried: a rollout takes many reconciles.
    hasNotes:
      cache.noted !== cache.fetched && hasNotes(tree, findCondition(source.status?.conditions ?? [], 'Applied')),
  };
  const plan = await measureStage(run, 'plan', () => destination.plan(outcome, before, signal));
  cache.noted = cache.fetched;
  const approvalInstructions = (context.approvalInstructions ?? formatApprovalAnnotation)(tree.commit);
  const approval = source.metadata.annotations?.[ALLOW_DELETIONS_ANNOTATION];
  const guarded = guardDeletions({
    entries: plan.deletions,
    unitsBefore: units,
    outcome,
    spec: isNewest ? source.spec : { ...source.spec, prune: false },
    tree,
    approvalInstructions,
    approval,
  });
  const { drift = 'correct' } = source.spec;
  return {
    ...{ destination, plan, desired, waiting, guarded, approvalInstructions },
    changes: plan.changes.filter(({ isDrift }) => drift === 'correct' || !isDrift),
    drift: drift === 'report' ? plan.changes.filter(({ isDrift }) => isDrift) : [],
    isApproved: isApproved(approval, tree),
  };
}

/** Inventory entries of objects that this apply leaves alone, and of objects that it will change. */
export function listStayingEntries(
  { plan }: PlannedRevision,
  inventory: readonly InventoryEntry[],
): readonly InventoryEntry[] {
  const changed = new Set(plan.changes.map(change => toAnnouncedEntry(change).id));
  return [...plan.kept, ...plan.deletions, ...inventory.filter(({ id }) => changed.has(id))];
}

/** The entry of an object that may be created although its uid never becomes known, because the response may be lost. */
export function toAnnouncedEntry({ object }: PlannedChange): InventoryEntry {
  const { apiVersion, kind, metadata } = object;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { id: `${metadata.namespace ?? ''}_${metadata.name}_${group}_${kind}`, v: version ?? '', uid: '' };
}

function formatApprovalAnnotation(commit: string): string {
  return `to allow the deletions, annotate the GatewaySource with ${ALLOW_DELETIONS_ANNOTATION}: ${commit}`;
}

/** The state of a gateway that waits for its turn: `release` is what currently runs. */
function asItRuns({ release: _, ...state }: UnitState): UnitState {
  return { ...state, ...(state.activeRelease !== undefined && { release: state.activeRelease }) };
}
