/** Deletes the objects that a source's revision no longer has, and no other objects. */
import { KubeError } from '../kube/kube-error.ts';
import type { InventoryEntry } from '../status/index.ts';
import { combineErrors, toReconcileError } from './api-error.ts';
import type { ApplyContext } from './apply-context.ts';
import { toKeyOfEntry } from './identity.ts';
import { withoutOwner } from './owner.ts';
import { isInventoried } from './ownership.ts';
import { runInParallel } from './run-in-parallel.ts';
import { PRUNE_ANNOTATION, readAnnotation } from './source-labels.ts';
import { splitIntoStages } from './stages.ts';

const PARALLEL = 8;

/** Kinds whose deletion would lose data, so only people delete them. */
const NEVER_DELETED: readonly string[] = ['Namespace', 'PersistentVolumeClaim'];

/**
 * Deletes objects, and returns the entries of those that still exist, without waiting for them.
 * @throws ReconcileError after all were tried, when the API server refused to delete one
 */
export async function prune(
  on: ApplyContext,
  deletions: readonly InventoryEntry[],
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  const remaining: InventoryEntry[] = [];
  const errors: unknown[] = [];
  for (const stage of splitIntoStages(deletions, entry => toKeyOfEntry(entry).kind).toReversed()) {
    const outcomes = await runInParallel(stage, PARALLEL, entry => isLeft(on, entry, signal));
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') errors.push(outcome.reason);
      else if (outcome.value) remaining.push(stage[at] as InventoryEntry);
    }
  }
  if (errors.length > 0) throw combineErrors(errors);
  return remaining;
}

/** Whether the object still exists after its deletion, and belongs to this source. */
async function isLeft(on: ApplyContext, entry: InventoryEntry, signal: AbortSignal): Promise<boolean> {
  const key = toKeyOfEntry(entry);
  on.cache.forget(entry.id);
  if (NEVER_DELETED.includes(key.kind)) return false;
  try {
    const live = await on.client.get(key, signal);
    if (live === undefined || !isInventoried(live, entry, on.source)) return false;
    if (readAnnotation(live, PRUNE_ANNOTATION) === 'disabled') {
      await withoutOwner(on, live, signal);
      return false;
    }
    if (live.metadata.deletionTimestamp !== undefined) return true;
    const uid = live.metadata.uid ?? entry.uid;
    await on.client.delete(key, { uid, propagation: 'Background' }, signal);
    return (live.metadata.finalizers ?? []).length > 0;
  } catch (error) {
    // Either the object's type no longer exists, and with it the object; or the object was deleted, and another client has just created one of the
    // same name.
    if (error instanceof KubeError && (error.isUnserved || error.failure === 'conflict')) return false;
    throw toReconcileError(error, { key });
  }
}
