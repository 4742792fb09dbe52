/** Observe: what a source has from before, by its status, which is all that lasts. */
import type { InventoryEntry, UnitState } from './destination.ts';
import { readRequestedAt } from './revision.ts';
import type { Run } from './run.ts';
import { clearHolds } from './unit-states.ts';

export interface ObservedState {
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
}

/** A request of an operator gives what is held another try, with all its time. */
export function observe({ source, cache }: Run): ObservedState {
  const { gateways = [], inventory, lastHandledReconcileAt } = source.status ?? {};
  const isRequested = readRequestedAt(source) !== lastHandledReconcileAt;
  if (isRequested) cache.rollouts.clear();
  return { inventory: inventory?.entries ?? [], units: isRequested ? clearHolds(gateways) : gateways };
}
