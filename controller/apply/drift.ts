/** Changes that others made to applied objects: which of them matter, and what it takes to see them. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../kube/types.ts';
import { withoutNoise } from './difference.ts';
import { adoptedFields, isAdopted, isAppliedByLintel } from './field-adoption.ts';
import { readFields, selectValues, sharedFields } from './fields.ts';
import { isBundle } from './record.ts';
import { ourFields } from './whole-spec.ts';

/**
 * Whether an event of the cluster is a reason to look at a source again: an object came or went, or has something else where we set
 * something, or anything else in the spec of a custom resource of ours. A new status, a number of replicas or a foreign label is none.
 */
export function isOurChange(now: KubeObject | undefined, before: KubeObject | undefined): boolean {
  if (now === undefined || before === undefined || now.metadata.uid !== before.metadata.uid) return true;
  if (now.metadata.resourceVersion === before.metadata.resourceVersion) return false;
  if (now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp) return true;
  const ours = ourFields(before);
  // A cache that keeps no managed fields tells less.
  if (ours === undefined) return !isDeepStrictEqual(withoutNoise(now), withoutNoise(before));
  return adoptedFields(now) !== undefined || !isDeepStrictEqual(selectValues(now, ours), selectValues(before, ours));
}

/**
 * What caches have to keep of applied objects so that drift is seen: of who manages what, our own part and what we would take over.
 * The rest is most of many objects. The content of a bundle cannot change, and its digest stands for it.
 */
export function forCache(object: KubeObject): KubeObject {
  const { managedFields, ...metadata } = object.metadata;
  if (managedFields === undefined) return object;
  const kept = managedFields
    .filter(entry => isAppliedByLintel(entry) || isAdopted(entry))
    .map(entry => ({ ...entry, fieldsV1: sharedFields(readFields(entry)) }));
  const own = { ...object, metadata: { ...metadata, managedFields: kept } };
  return isBundle(object) && object.immutable === true ? withoutContent(own) : own;
}

function withoutContent({ data: _, binaryData: __, ...others }: KubeObject): KubeObject {
  return others as KubeObject;
}
