/** Plans the change of one object. */
import { DIGEST_ANNOTATION } from '#schemas';
import { formatKey } from '../kube/resource-path.ts';
import type { KubeObject, ObjectKey } from '../kube/types.ts';
import { type PlannedChange, ReconcileError } from '../reconcile/index.ts';
import type { InventoryEntry } from '../status/index.ts';
import { isImmutable, toReconcileError } from './api-error.ts';
import { type ApplyContext, getCached, isAsApplied } from './apply-context.ts';
import type { DesiredObject } from './desired-objects.ts';
import { isSame, listDifferences } from './difference.ts';
import { findAdoptedFields, withoutAdoptedFields } from './field-adoption.ts';
import { toInventoryEntry, toObjectKey } from './identity.ts';
import { findOtherSource, refuseForeign, refuseLeaving } from './ownership.ts';
import {
  formatSourceTitle,
  HASH_ANNOTATION,
  isOwnershipLabel,
  readAnnotation,
  SOURCE_ANNOTATION,
} from './source-labels.ts';
import { applyWhole, ownsWholeSpec, withSpec } from './whole-spec.ts';

/** Kinds that are deleted and created again when an immutable field changes: they hold no data, and traffic stops only briefly. */
const RECREATED: readonly string[] = [
  'Service',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'ConfigMap',
  'ServiceAccount',
  // An embedding server: while it is deleted and created again, gateways fall back to keyword search; its volume claims with models stay.
  'StatefulSet',
];

/** A change with the object's state at planning time. */
export interface ClusterChange extends PlannedChange {
  readonly id: string;
  readonly hash: string;
  readonly origin?: string | undefined;
  readonly live: KubeObject | undefined;
  /** The `spec` after the API server's dry run; undefined when unknown. */
  readonly expected?: unknown;
}

export interface PlannedObject {
  /** The change to make; undefined when the object already matches. */
  readonly change?: ClusterChange | undefined;
  /** The inventory entry of an object that the plan leaves as it is. */
  readonly unchanged?: InventoryEntry | undefined;
}

/**
 * Plans the change of one object.
 * @param known the object's inventory entry
 * @throws ReconcileError
 */
export async function planObject(
  on: ApplyContext,
  desired: DesiredObject,
  known: InventoryEntry | undefined,
  signal: AbortSignal,
): Promise<PlannedObject> {
  const key = toObjectKey(desired.object);
  const observed = getCached(on, key);
  if (observed !== undefined && isDone(on, key, desired, observed)) return { unchanged: toInventoryEntry(observed) };
  try {
    const live = await on.client.get(key, signal);
    if (live === undefined) return await planCreation(on, desired, known, signal);
    refuseForeign(live, on.source, on.isSource);
    refuseLeaving(live, key);
    if (desired.role === 'bundle') {
      refuseOtherBundle(live, desired.object);
      return { unchanged: toInventoryEntry(live) };
    }
    if (isDone(on, key, desired, live)) return { unchanged: toInventoryEntry(live) };
    return await planUpdate(on, desired, live, signal);
  } catch (error) {
    throw toReconcileError(error, { key, origin: desired.origin });
  }
}

/** Whether no call to the API server is needed. */
function isDone(on: ApplyContext, key: ObjectKey, desired: DesiredObject, live: KubeObject): boolean {
  if (desired.role === 'content') return isAsApplied(on, key, desired.hash, live);
  if (live.metadata.deletionTimestamp !== undefined) return false;
  if (desired.role === 'record') return readAnnotation(live, SOURCE_ANNOTATION) === formatSourceTitle(on.source);
  return findOtherSource(live, on.source) === undefined && readDigest(live) === readDigest(desired.object);
}

async function planCreation(
  on: ApplyContext,
  desired: DesiredObject,
  known: InventoryEntry | undefined,
  signal: AbortSignal,
): Promise<PlannedObject> {
  const { spec } = await applyWhole(on, desired.object, undefined, { isDryRun: true }, signal);
  const applied = on.cache.getHash(desired.id);
  const isAskedFor = applied === undefined ? desired.isNew : applied !== desired.hash;
  const isDrift = known !== undefined && known.uid !== '' && !isAskedFor;
  return { change: { ...change('create', desired, undefined, [], isDrift), expected: spec } };
}

async function planUpdate(
  on: ApplyContext,
  desired: DesiredObject,
  live: KubeObject,
  signal: AbortSignal,
): Promise<PlannedObject> {
  // The annotation alone proves nothing: a client that changes the object may also change the annotation.
  const isDrift = [readAnnotation(live, HASH_ANNOTATION), on.cache.getHash(desired.id)].includes(desired.hash);
  try {
    const applied = await applyWhole(on, desired.object, live, { isDryRun: true }, signal);
    const isTakenOver = findAdoptedFields(live) !== undefined;
    const remaining = isTakenOver ? withoutAdoptedFields(live, applied) : applied;
    const after = ownsWholeSpec(live) ? withSpec(remaining, applied.spec) : remaining;
    if (!isTakenOver && isSame(live, after)) {
      on.cache.remember(desired.id, desired.hash, live);
      return { unchanged: toInventoryEntry(live) };
    }
    const difference = listDifferences(live, after, isOwnershipLabel);
    return { change: { ...change('configure', desired, live, difference, isDrift), expected: after.spec } };
  } catch (error) {
    if (!isImmutable(error) || !RECREATED.includes(live.kind)) throw error;
    const difference = listDifferences(live, { ...live, ...desired.object }, isOwnershipLabel);
    return { change: change('recreate', desired, live, difference, isDrift) };
  }
}

function change(
  action: PlannedChange['action'],
  { id, hash, origin, object }: DesiredObject,
  live: KubeObject | undefined,
  difference: readonly string[],
  isDrift: boolean,
): ClusterChange {
  return { action, object, difference, isDrift, id, hash, origin, live };
}

function refuseOtherBundle(live: KubeObject, desired: KubeObject): void {
  if (readDigest(live) === readDigest(desired)) return;
  throw new ReconcileError(
    'FieldConflict',
    'stalled',
    `${formatKey(toObjectKey(live))} exists and is not bundle ${readDigest(desired)} (its annotation ${DIGEST_ANNOTATION} says ${readDigest(live) ?? 'nothing'}): delete it`,
  );
}

function readDigest(object: KubeObject): string | undefined {
  return readAnnotation(object, DIGEST_ANNOTATION);
}
