/** Changes that others made to applied objects: what is done about them, and which of them matter. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER } from '#schemas';
import type { KubeObject } from '../kube/types.ts';
import type { InventoryEntry, Plan, PlannedChange } from '../reconcile/destination.ts';
import { withoutNoise } from './difference.ts';
import { appliedBy, valuesAt } from './fields.ts';
import { inventoryId, keyOf } from './identity.ts';
import { isOurs, isTaken, takenOver } from './take-over.ts';

/** As in `spec.drift`. */
export type DriftMode = 'correct' | 'report' | 'off';

export interface ObeyedPlan {
  readonly plan: Plan;
  /** Drift that is told of; it is corrected only by `correct`. */
  readonly drift: readonly PlannedChange[];
}

/**
 * A plan without the drift that is not to be corrected. What has drifted stays in the inventory.
 *
 * @param inventory what there was before
 */
export function obeyDriftMode(plan: Plan, mode: DriftMode, inventory: readonly InventoryEntry[]): ObeyedPlan {
  const drift = mode === 'off' ? [] : plan.changes.filter(change => change.isDrift);
  if (mode === 'correct') return { plan, drift };
  const left = new Set(plan.changes.filter(change => change.isDrift).map(({ object }) => inventoryId(keyOf(object))));
  const kept = new Map([...inventory.filter(({ id }) => left.has(id)), ...plan.kept].map(entry => [entry.id, entry]));
  return {
    plan: { ...plan, changes: plan.changes.filter(change => !change.isDrift), kept: [...kept.values()] },
    drift,
  };
}

/**
 * Whether an event of the cluster is a reason to look at a source again: an object came or went, or has something else where we set
 * something. A new status, a number of replicas or somebody's label is none.
 */
export function isOurChange(now: KubeObject | undefined, before: KubeObject | undefined): boolean {
  if (now === undefined || before === undefined || now.metadata.uid !== before.metadata.uid) return true;
  if (now.metadata.resourceVersion === before.metadata.resourceVersion) return false;
  if (now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  const ours = appliedBy(before, FIELD_MANAGER);
  // A cache that keeps no managed fields tells less.
  if (ours === undefined) return !isDeepStrictEqual(withoutNoise(now), withoutNoise(before));
  return takenOver(now) !== undefined || !isDeepStrictEqual(valuesAt(now, ours), valuesAt(before, ours));
}

/**
 * What caches have to keep of applied objects so that drift is seen: of who manages what, our own part and what we would take over.
 * The rest is most of many objects.
 */
export function forCache(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined) return object;
  const kept = managedFields.filter(entry => isOurs(entry) || isTaken(entry));
  return { ...object, metadata: { ...metadata, managedFields: kept } };
}
