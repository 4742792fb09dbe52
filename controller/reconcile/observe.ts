/** Observe: the source's earlier state according to its status, the only durable state. */
import type { InventoryEntry, UnitState } from '../status/index.ts';
import { readRequestedAt } from './revision.ts';
import type { Run } from './run.ts';
import { clearHolds } from './unit-states.ts';

export interface ObservedState {
  readonly inventory: readonly InventoryEntry[];
  readonly units: readonly UnitState[];
}

/** The state that a reconcile starts from. A request of an operator makes gateways that were given up start again, with the full time limit. */
export function observe({ source, cache }: Run): ObservedState {
  const { gateways = [], inventory, lastHandledReconcileAt } = source.status ?? {};
  const isRequested = readRequestedAt(source) !== lastHandledReconcileAt;
  if (isRequested) cache.rollouts.clear();
  return { inventory: inventory?.entries ?? [], units: isRequested ? clearHolds(gateways) : gateways };
}
