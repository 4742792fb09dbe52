/**
 * Strategic merge patch, as the API server applies it: mappings are merged, lists are merged by key, null removes a member, and directives
 * override this.
 *
 * @see https://github.com/kubernetes/community/blob/master/contributors/devel/sig-api-machinery/strategic-merge-patch.md
 */
import { isObject } from '#schemas';
import { getPodTemplateSchema, type PodSchema } from '../../../analysis/pods/pod-schema.ts';
import type { ManifestFields } from '../manifest.ts';

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';

/** Prefix of a directive that is ignored: it says in which order the client saw a list, and the merged list keeps the order of the template. */
const SET_ORDER = '$setElementOrder/';

/** Merges a patch into a pod template. Neither argument is changed; unknown members are merged like others. */
export function mergePodTemplate(template: ManifestFields, patch: ManifestFields): ManifestFields {
  return mergeFields(template, patch, getPodTemplateSchema());
}

function mergeFields(base: ManifestFields, patch: ManifestFields, schema: PodSchema): ManifestFields {
  if (patch[PATCH] === 'delete') return {};
  if (patch[PATCH] === 'replace') return mergeFields({}, without(patch, PATCH), schema);
  const retained = patch[RETAIN_KEYS];
  const merged = new Map<string, unknown>(
    Object.entries(base).filter(([name]) => !Array.isArray(retained) || retained.includes(name)),
  );
  for (const [name, value] of Object.entries(patch)) {
    if (name === PATCH || name === RETAIN_KEYS || name.startsWith(SET_ORDER)) continue;
    if (name.startsWith(DELETE_FROM)) {
      deleteFrom(merged, name.slice(DELETE_FROM.length), value);
      continue;
    }
    if (value === null) merged.delete(name);
    else merged.set(name, mergeValue(merged.get(name), value, getMemberSchema(schema, name)));
  }
  return Object.fromEntries(merged);
}

function getMemberSchema(schema: PodSchema, name: string): PodSchema {
  const properties = schema.properties ?? {};
  return (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {};
}

function mergeValue(base: unknown, patch: unknown, schema: PodSchema = {}): unknown {
  // Without anything to merge into, directives and nulls are removed.
  if (isObject(patch)) return mergeFields(isObject(base) ? base : {}, patch, schema);
  if (!Array.isArray(patch)) return patch;
  const existing: readonly unknown[] = Array.isArray(base) ? base : [];
  const key = schema['x-lintel-merge-key'];
  if (key !== undefined) return mergeList(existing, patch, key, schema.items ?? {});
  if (schema['x-lintel-merge-set'] === true) return [...new Set([...existing, ...patch])];
  return patch.filter(item => !isDirective(item)).map(item => mergeValue(undefined, item));
}

function mergeList(
  base: readonly unknown[],
  patch: readonly unknown[],
  key: string,
  schema: PodSchema,
): readonly unknown[] {
  const isReplaced = patch.some(item => isObject(item) && item[PATCH] === 'replace');
  const merged = isReplaced ? [] : [...base];
  for (const item of patch) {
    if (isDirective(item)) continue;
    const at = locateItem(merged, item, key);
    if (isObject(item) && item[PATCH] === 'delete') {
      if (at >= 0) merged.splice(at, 1);
    } else {
      const plain = isObject(item) ? without(item, PATCH) : item;
      if (at < 0) merged.push(mergeValue(undefined, plain, schema));
      else merged[at] = mergeValue(merged[at], plain, schema);
    }
  }
  return merged;
}

/** Items without the key match no other item. */
function locateItem(list: readonly unknown[], item: unknown, key: string): number {
  if (!isObject(item) || item[key] === undefined) return -1;
  return list.findIndex(other => isObject(other) && other[key] === item[key]);
}

/** `- $patch: replace` alone applies to the whole list. */
function isDirective(item: unknown): boolean {
  return isObject(item) && PATCH in item && Object.keys(item).length === 1;
}

function deleteFrom(merged: Map<string, unknown>, name: string, values: unknown): void {
  const list = merged.get(name);
  if (Array.isArray(list) && Array.isArray(values)) {
    merged.set(
      name,
      list.filter(value => !values.includes(value)),
    );
  }
}

function without(fields: ManifestFields, name: string): ManifestFields {
  return Object.fromEntries(Object.entries(fields).filter(([member]) => member !== name));
}
