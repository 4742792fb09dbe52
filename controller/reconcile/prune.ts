/** Prune: deletes what the revision dropped, once the gateways that may replace it have run. */
import type { CompileOutcome } from '../compile/index.ts';
import type { InventoryEntry, UnitState } from '../status/index.ts';
import { DELETION_BLOCKED, formatUnitKey } from './guards.ts';
import type { ObservedState } from './observe.ts';
import type { DesiredRevision, PlannedRevision } from './plan.ts';
import { measureStage, type Run } from './run.ts';

export interface PrunedState {
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
  /** Entries of deleted objects that still exist. */
  readonly leaving: readonly InventoryEntry[];
  /** Number of objects that are gone. */
  readonly deleted: number;
  /** Why deletions wait although nothing requires an approval for them, and what to do. */
  readonly pendingApproval?: string | undefined;
}

/**
 * Deletes the objects whose deletion is allowed now.
 * @param inventory after applying
 * @param units the current states of gateways and registry servers
 */
export async function prune(
  run: Run,
  { outcome }: DesiredRevision,
  planned: PlannedRevision,
  observed: ObservedState,
  { inventory, units }: ObservedState,
): Promise<PrunedState> {
  const { destination, plan, guarded, approvalInstructions } = planned;
  const { allowed } = guarded;
  const neverRan = units.filter(({ activeDigest }) => activeDigest === undefined);
  const isUnderWay = neverRan.some(({ heldDigest }) => heldDigest === undefined);
  // A gateway that never ran may be the new name of one that serves: the deletion of the serving one waits until the new one runs, or until an
  // operator approves.
  const isLost = neverRan.length > 0 && isServiceLeaving(outcome, observed.units) && !planned.isApproved;
  const isReplaced = !isUnderWay && !isLost;
  const pendingApproval =
    allowed.length > 0 && isLost && !isUnderWay
      ? formatWaiting(allowed.length, neverRan, approvalInstructions)
      : undefined;

  const remaining =
    isReplaced && allowed.length > 0
      ? await measureStage(run, 'prune', () => destination.prune(allowed, run.signal))
      : allowed;
  const leftIds = new Set(remaining.map(({ id }) => id));
  const gone = new Set(allowed.map(({ id }) => id).filter(id => !leftIds.has(id)));
  return {
    inventory: inventory.filter(({ id }) => !gone.has(id)),
    units: plan.deletions.length > gone.size ? withFormer(units, observed.units, guarded.isRemembered === true) : units,
    leaving: isReplaced ? remaining : [],
    deleted: gone.size,
    pendingApproval,
  };
}

/** Whether an active gateway or registry server was dropped from the revision. */
function isServiceLeaving({ units }: CompileOutcome, before: readonly UnitState[]): boolean {
  const desiredKeys = new Set(units.map(formatUnitKey));
  return before.some(unit => unit.activeDigest !== undefined && !desiredKeys.has(formatUnitKey(unit)));
}

function formatWaiting(count: number, neverRan: readonly UnitState[], approvalInstructions: string): string {
  const [first] = neverRan;
  const others = neverRan.length > 1 ? ` and ${neverRan.length - 1} more` : '';
  const subject = `${first?.kind} ${first?.namespace}/${first?.name}${others}`;
  return `${count} deletion${count === 1 ? ' waits' : 's wait'} until ${subject} has run once; ${approvalInstructions}`;
}

/** Adds the states of gateways and registry servers that still exist because their deletion waits. */
function withFormer(
  units: readonly UnitState[],
  before: readonly UnitState[],
  isRemembered: boolean,
): readonly UnitState[] {
  const known = new Set(units.map(formatUnitKey));
  const previous = before.filter(unit => !known.has(formatUnitKey(unit)));
  return [...units, ...(isRemembered ? previous.map(unit => ({ ...unit, message: DELETION_BLOCKED })) : previous)];
}
