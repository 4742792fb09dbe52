/** Names of objects: in the inventory, in calls, and in messages. */
import type { KubeObject, ObjectKey } from '../kube/types.ts';
import type { InventoryEntry } from '../status/index.ts';

export function toObjectKey(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, namespace, name };
}

/** The id of an object in `status.inventory`: without the API version, so that an entry survives a version change. */
export function formatInventoryId(key: ObjectKey): string {
  return [key.namespace ?? '', key.name, getApiGroup(key.apiVersion), key.kind].join('_');
}

export function toInventoryEntry(object: KubeObject): InventoryEntry {
  return {
    id: formatInventoryId(toObjectKey(object)),
    v: object.apiVersion.slice(object.apiVersion.indexOf('/') + 1),
    uid: object.metadata.uid ?? '',
  };
}

/** Splits the id of an inventory entry at its underscores: names, groups and kinds contain none. */
export function toKeyOfEntry(entry: InventoryEntry): ObjectKey {
  const [namespace = '', name = '', group = '', kind = ''] = entry.id.split('_');
  return {
    apiVersion: group === '' ? entry.v : `${group}/${entry.v}`,
    kind,
    namespace: namespace === '' ? undefined : namespace,
    name,
  };
}

/** The group in an `apiVersion`; empty for the core group. */
export function getApiGroup(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
