/** Brings what has changed into the cluster, stage by stage. */
import { FIELD_MANAGER } from '#schemas';
import { type InventoryEntry, PartlyApplied } from '../reconcile/destination.ts';
import { entryOf, keyOf } from './identity.ts';
import { inParallel } from './in-parallel.ts';
import type { OnBehalf } from './on-behalf.ts';
import type { ClusterChange } from './plan-object.ts';
import { firstOf, refusal } from './refusal.ts';
import { inStages } from './stages.ts';
import { takenOver } from './take-over.ts';

/** Calls at a time: the API server gives all controllers together some hundreds. */
const PARALLEL = 8;

/**
 * A stage begins when the one before it is applied; within one, what fails does not stop the others.
 *
 * @throws PartlyApplied
 */
export async function applyChanges(
  on: OnBehalf,
  changes: readonly ClusterChange[],
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const stage of inStages(changes, change => change.object.kind)) {
    const outcomes = await inParallel(stage, PARALLEL, change => applyChange(on, change, signal));
    const errors: unknown[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') entries.push(outcome.value);
      else errors.push(outcome.reason);
    }
    if (errors.length > 0) throw new PartlyApplied(entries, firstOf(errors) as Error);
  }
  return entries;
}

async function applyChange(on: OnBehalf, change: ClusterChange, signal: AbortSignal): Promise<InventoryEntry> {
  const { object, live, id, hash, origin } = change;
  const key = keyOf(object);
  signal.throwIfAborted();
  try {
    if (change.action === 'recreate' && live?.metadata.uid !== undefined) {
      await on.client.delete(key, { uid: live.metadata.uid, propagation: 'Background' }, signal);
    } else if (live !== undefined) {
      const managedFields = takenOver(live);
      // The resourceVersion makes it fail when somebody else has changed who manages what meanwhile.
      const metadata = { resourceVersion: live.metadata.resourceVersion, managedFields };
      if (managedFields !== undefined) {
        await on.client.patch(key, { metadata }, { fieldManager: FIELD_MANAGER }, signal);
      }
    }
    const applied = await on.client.apply(object, { fieldManager: FIELD_MANAGER, force: true }, signal);
    on.memory.remember(id, hash, applied);
    return entryOf(applied);
  } catch (error) {
    on.memory.forget(id);
    throw refusal(error, { key, origin });
  }
}
