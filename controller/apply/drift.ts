/** Detects changes that other clients of the API server make to applied objects, and keeps the cached data that is needed for that. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kube/types.ts';
import { withoutNoise } from './difference.ts';
import { findAdoptedFields, isAdopted, isAppliedByLintel } from './field-adoption.ts';
import { findSharedFields, readFields, selectValues } from './fields.ts';
import { isBundle } from './record.ts';
import { findOwnFields } from './whole-spec.ts';

/**
 * Whether a cluster event requires reconciling a source: an object appeared or disappeared, or differs in a managed field, or anywhere in the
 * spec of one of Lintel's custom resources. A new status, replica count or foreign label does not.
 */
export function isOurChange(now: KubeObject | undefined, before: KubeObject | undefined): boolean {
  if (now === undefined || before === undefined || now.metadata.uid !== before.metadata.uid) return true;
  if (now.metadata.resourceVersion === before.metadata.resourceVersion) return false;
  if (now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  const ours = findOwnFields(before);
  // Without managed fields in the cache, the whole objects have to be compared.
  if (ours === undefined) return !isDeepStrictEqual(withoutNoise(now), withoutNoise(before));
  return (
    findAdoptedFields(now) !== undefined || !isDeepStrictEqual(selectValues(now, ours), selectValues(before, ours))
  );
}

/**
 * The data of applied objects that caches must keep to detect drift. Of the managed fields, only Lintel's own and adoptable ones are kept,
 * because the rest is the largest part of many objects. The content of a bundle is immutable, so its digest suffices.
 */
export function trimForCache(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined) return object;
  const otherManagers = managedFields
    .filter(entry => isAppliedByLintel(entry) || isAdopted(entry))
    .map(entry => ({ ...entry, fieldsV1: findSharedFields(readFields(entry)) }));
  const own = { ...object, metadata: { ...metadata, managedFields: otherManagers } };
  return isBundle(object) && object.immutable === true ? withoutContent(own) : own;
}

function withoutContent({ data: _, binaryData: __, ...others }: KubeObject): KubeObject {
  return others as KubeObject;
}
