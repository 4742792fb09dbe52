/** Apply: executes the changes of a plan, after announcing them in the status. */

import type { InventoryEntry } from '../status/index.ts';
import { PartlyApplied, type PlannedChange } from './destination.ts';
import { asReconcileError } from './failure.ts';
import type { ObservedState } from './observe.ts';
import { type DesiredRevision, listStayingEntries, type PlannedRevision, toAnnouncedEntry } from './plan.ts';
import type { ReconcileError } from './reasons.ts';
import { attempt, measureStage, type Run } from './run.ts';
import type { StatusInput } from './status-writer.ts';

export interface AppliedRevision {
  /** Also set after a failure: objects that were applied before the failure, and objects that may have been. */
  readonly inventory: readonly InventoryEntry[];
  readonly applied: readonly PlannedChange[];
  readonly failure?: ReconcileError | undefined;
}

/**
 * Applies the changes of a plan.
 * @param known further status content to write while the changes are applied
 */
export async function apply(
  run: Run,
  { tree }: DesiredRevision,
  planned: PlannedRevision,
  observed: ObservedState,
  known: StatusInput,
): Promise<AppliedRevision> {
  const { changes, destination } = planned;
  const { statusWriter, signal } = run;
  const staying = listStayingEntries(planned, observed.inventory);
  if (changes.length === 0) return { inventory: merge(staying), applied: [] };

  const announced = merge(changes.filter(({ action }) => action === 'create').map(toAnnouncedEntry), staying);
  const message = `applying ${tree.revision}: ${changes.length} objects`;
  const { failure } = await attempt(run, () =>
    statusWriter.progress(message, { ...known, inventory: announced }, signal),
  );
  if (failure !== undefined) return { inventory: announced, applied: [], failure };
  try {
    const entries = await measureStage(run, 'apply', () => destination.apply(changes, signal));
    return { inventory: merge(entries, staying), applied: changes };
  } catch (error) {
    signal.throwIfAborted();
    const entries = error instanceof PartlyApplied ? error.entries : [];
    return { inventory: merge(entries, announced), applied: [], failure: asReconcileError(error) };
  }
}

/** One entry per object; earlier lists take precedence. */
function merge(...lists: readonly (readonly InventoryEntry[])[]): readonly InventoryEntry[] {
  return [...new Map(lists.toReversed().flatMap(list => list.map(entry => [entry.id, entry] as const))).values()];
}
