/** Deletion of a source: its objects are deleted with it, unless configured otherwise. */

import type { InventoryEntry } from '../status/index.ts';
import type { ObservedSource, ReconcileContext } from './context.ts';
import { asReconcileError } from './failure.ts';
import { StatusWriter } from './status-writer.ts';

/** Interval for checking a source whose objects are being deleted; milliseconds. */
const LEAVING_MS = 2_000;

/**
 * Deletes the objects of a deleted source.
 * @returns when to check again, in milliseconds; undefined when done
 */
export async function finalize(
  source: ObservedSource,
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<number | undefined> {
  const remaining = await pruneSource(source, context, signal);
  if (remaining.length > 0) {
    const count = remaining.length === 1 ? '1 object is' : `${remaining.length} objects are`;
    const state = `the source and the objects that it applied are being deleted: ${count} left`;
    await new StatusWriter(source, context).progress(state, { inventory: remaining, units: [] }, signal);
    return LEAVING_MS;
  }
  await context.repository.evict(source);
  await context.store.setFinalizer(source, false, signal);
  return undefined;
}

async function pruneSource(
  source: ObservedSource,
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  const { prune = true, suspend = false, deletion } = source.spec;
  const entries = source.status?.inventory?.entries ?? [];
  const isLeftBehind = ({ id }: InventoryEntry) =>
    !prune || suspend || deletion?.protectedKinds?.some(kind => id.endsWith(`_${kind}`)) === true;
  const [leftBehind, deleted] = [entries.filter(isLeftBehind), entries.filter(entry => !isLeftBehind(entry))];
  try {
    const destination = context.destination(source);
    if (leftBehind.length > 0) await destination.orphan?.(leftBehind, signal);
    // Deleting the source is consent to delete its objects; protected objects are left behind and do not block it.
    return deleted.length === 0 ? [] : await destination.prune(deleted, signal);
  } catch (error) {
    signal.throwIfAborted();
    const failure = asReconcileError(error);
    if (failure.reason !== 'PolicyDenied') throw failure;
    // In a namespace that is being deleted, the account may be gone before the source: the finalizer of the source must not block the namespace
    // forever.
    const count = entries.length === 1 ? '1 object is' : `${entries.length} objects are`;
    const message = `${failure.message}; the source is deleted, and ${count} left in the cluster: delete those that are not needed`;
    context.events.add(source, 'Warning', 'PolicyDenied', message);
    return [];
  }
}
