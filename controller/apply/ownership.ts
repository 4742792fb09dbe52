/** Which source owns an object: a source never changes another source's objects. */
import { FIELD_MANAGER } from '#schemas';
import { formatKey } from '../kube/resource-path.ts';
import type { KubeObject, ObjectKey } from '../kube/types.ts';
import { ReconcileError } from '../reconcile/index.ts';
import type { InventoryEntry } from '../status/index.ts';
import { findAppliedFields } from './fields.ts';
import { toObjectKey } from './identity.ts';
import { formatSourceTitle, readAnnotation, SOURCE_ANNOTATION, type SourceIdentity } from './source-labels.ts';

/** The name of another source that applied an object, if one did. */
export function findOtherSource(live: KubeObject, source: SourceIdentity): string | undefined {
  const annotated = readAnnotation(live, SOURCE_ANNOTATION);
  return annotated === formatSourceTitle(source) ? undefined : annotated;
}

/**
 * Refuses an object of another source. An object without an owner may be adopted.
 *
 * @param isSource whether a source (`namespace/name`) exists: objects of a deleted source may be adopted as well
 * @throws ReconcileError `FieldConflict`, which may resolve when the other source drops the object
 */
export function refuseForeign(live: KubeObject, source: SourceIdentity, isSource: (title: string) => boolean): void {
  const what = formatKey(toObjectKey(live));
  const other = findOtherSource(live, source);
  if (other !== undefined && isSource(other)) {
    throw new ReconcileError(
      'FieldConflict',
      'retry',
      `${what} belongs to GatewaySource ${other}: take it out of one of the two repositories, or give it another name`,
    );
  }
  const controller = (live.metadata.ownerReferences as readonly OwnerReference[] | undefined)?.find(
    owner => owner.controller === true,
  );
  if (controller !== undefined) {
    throw new ReconcileError(
      'FieldConflict',
      'retry',
      `${what} is controlled by ${controller.kind} ${controller.name}, whose controller would undo what is applied: give one of them another name, or stop that controller`,
    );
  }
}

/** Whether an object is the one in the inventory, and not one of the same name that another client created after the former was deleted. */
export function isInventoried(live: KubeObject, entry: InventoryEntry, source: SourceIdentity): boolean {
  if (findOtherSource(live, source) !== undefined) return false;
  if (entry.uid !== '') return live.metadata.uid === entry.uid;
  // The previous run ended while it created the object: the object counts as the source's if Lintel's field manager created it.
  return findAppliedFields(live, FIELD_MANAGER) !== undefined;
}

/** @throws ReconcileError `DependencyNotReady` */
export function refuseLeaving(live: KubeObject, key: ObjectKey): void {
  if (live.metadata.deletionTimestamp === undefined) return;
  const message = `${formatKey(key)} is being deleted: the controller creates it again as soon as it is gone`;
  throw new ReconcileError('DependencyNotReady', 'retry', message);
}

interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly controller?: boolean;
}
