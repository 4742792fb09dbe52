/** Applies changes to the cluster, stage by stage. */
import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGER } from '#schemas';
import { KubeError } from '../kube/kube-error.ts';
import type { KubeObject, ObjectKey } from '../kube/types.ts';
import { PartlyApplied } from '../reconcile/index.ts';
import type { InventoryEntry } from '../status/index.ts';
import { combineErrors, toReconcileError } from './api-error.ts';
import type { ApplyContext } from './apply-context.ts';
import { findAdoptedFields } from './field-adoption.ts';
import { toInventoryEntry, toObjectKey } from './identity.ts';
import type { ClusterChange } from './plan-object.ts';
import { runInParallel } from './run-in-parallel.ts';
import { splitIntoStages } from './stages.ts';
import { applyWhole, ownsWholeSpec } from './whole-spec.ts';

/** Maximum number of concurrent calls: the API server allows some hundreds for all controllers together. */
const PARALLEL = 8;

/** How often the controller tries again to adopt the fields of an object that other clients change meanwhile. */
const TAKE_OVERS = 5;

/**
 * The stages run one after the other; within a stage, a failure does not stop the other changes.
 * @throws PartlyApplied
 */
export async function applyChanges(
  on: ApplyContext,
  changes: readonly ClusterChange[],
  signal: AbortSignal,
): Promise<readonly InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const stage of splitIntoStages(changes, change => change.object.kind)) {
    const outcomes = await runInParallel(stage, PARALLEL, change => applyChange(on, change, signal));
    const errors: unknown[] = [];
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') entries.push(outcome.value);
      else errors.push(outcome.reason);
    }
    if (errors.length > 0) throw new PartlyApplied(entries, combineErrors(errors) as Error);
  }
  return entries;
}

async function applyChange(on: ApplyContext, change: ClusterChange, signal: AbortSignal): Promise<InventoryEntry> {
  const { object, live, id, hash, origin, expected } = change;
  const key = toObjectKey(object);
  const isRecreated = change.action === 'recreate';
  signal.throwIfAborted();
  try {
    if (isRecreated && live?.metadata.uid !== undefined) {
      await on.client.delete(key, { uid: live.metadata.uid, propagation: 'Background' }, signal);
    } else if (live !== undefined) {
      await takeOver(on, key, live, signal);
    }
    const applied = await applyWhole(on, object, isRecreated ? undefined : live, { expected }, signal);
    // If the result is not as planned, another client wrote meanwhile: the next run then reads the object again.
    if (hasExpectedSpec(applied, expected)) on.cache.remember(id, hash, applied);
    else on.cache.forget(id);
    on.onApplied?.(change, undefined);
    return toInventoryEntry(applied);
  } catch (error) {
    on.cache.forget(id);
    const refused = toReconcileError(error, { key, origin });
    if (!signal.aborted) on.onApplied?.(change, refused as Error);
    throw refused;
  }
}

function hasExpectedSpec(applied: KubeObject, expected: unknown): boolean {
  return expected === undefined || !ownsWholeSpec(applied) || isDeepStrictEqual(applied.spec, expected);
}

/**
 * Controllers write status and annotations right after a person edits an object, which is no reason to give up. A change that contradicts
 * the plan is a reason: the next run plans again.
 */
async function takeOver(on: ApplyContext, key: ObjectKey, live: KubeObject, signal: AbortSignal): Promise<void> {
  let now = live;
  for (let remaining = TAKE_OVERS; ; remaining--) {
    const managedFields = findAdoptedFields(now);
    if (managedFields === undefined) return;
    // With the resourceVersion, the patch fails when the managed fields changed meanwhile.
    const metadata = { resourceVersion: now.metadata.resourceVersion, managedFields };
    try {
      await on.client.patch(key, { metadata }, { fieldManager: FIELD_MANAGER }, signal);
      return;
    } catch (error) {
      const isRace = error instanceof KubeError && error.failure === 'conflict';
      const fresh = isRace && remaining > 1 ? await on.client.get(key, signal) : undefined;
      if (fresh === undefined || !meansTheSame(fresh, live)) throw error;
      now = fresh;
    }
  }
}

/** Compares everything except the data of other managers. */
function meansTheSame(one: KubeObject, other: KubeObject): boolean {
  const meant = ({ metadata: { uid }, status: _, ...members }: KubeObject): object => ({ ...members, uid });
  return isDeepStrictEqual(meant(one), meant(other));
}
