/**
 * Sets of fields as `managedFields[].fieldsV1` has them: `f:name` for a member, `k:{"name":"vmcp"}` for an item of a list by its keys,
 * `v:"x"` for an item of a set, `.` for the member or item itself.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '#schemas';
import type { KubeObject, ManagedFields } from '../kube/types.ts';

export interface ManagedFieldTree {
  readonly [step: string]: ManagedFieldTree;
}

const ITSELF = '.';

/** The fields that a manager set with server-side apply; undefined when it has not applied anything. */
export function findAppliedFields(object: KubeObject, manager: string): ManagedFieldTree | undefined {
  const entry = object.metadata.managedFields?.find(
    managed => managed.manager === manager && managed.operation === 'Apply' && !managed.subresource,
  );
  return entry && readFields(entry);
}

export function readFields(entry: ManagedFields): ManagedFieldTree {
  return (entry.fieldsV1 ?? {}) as ManagedFieldTree;
}

/** Maximum number of interned sets. */
const MAX_SHARED = 1_000;

const shared = new Map<string, ManagedFieldTree>();

/** Interns equal sets: thousands of objects of one kind share the same few. */
export function findSharedFields(fields: ManagedFieldTree): ManagedFieldTree {
  const text = JSON.stringify(fields);
  const known = shared.get(text);
  if (known !== undefined) return known;
  if (shared.size === MAX_SHARED) shared.clear();
  shared.set(text, fields);
  return fields;
}

export function isEmpty(fields: ManagedFieldTree): boolean {
  return Object.keys(fields).length === 0;
}

export function uniteFields(a: ManagedFieldTree, b: ManagedFieldTree): ManagedFieldTree {
  const all: { [step: string]: ManagedFieldTree } = { ...a };
  for (const [step, below] of Object.entries(b)) {
    const known = all[step];
    all[step] = known === undefined ? below : uniteFieldsBelow(known, below);
  }
  return all;
}

/**
 * Unites the fields below a member. Where only one of the two sets has fields below it, the other one has the member itself, which is then added as
 * well.
 */
function uniteFieldsBelow(a: ManagedFieldTree, b: ManagedFieldTree): ManagedFieldTree {
  const all = uniteFields(a, b);
  return isEmpty(a) !== isEmpty(b) ? { [ITSELF]: {}, ...all } : all;
}

/** Splits a set: paths for which `isChosen` is true, with everything below them, and all others. A path is a list of steps. */
export function partition(
  fields: ManagedFieldTree,
  isChosen: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): { readonly chosen: ManagedFieldTree; readonly rest: ManagedFieldTree } {
  const chosen: { [step: string]: ManagedFieldTree } = {};
  const rest: { [step: string]: ManagedFieldTree } = {};
  for (const [step, below] of Object.entries(fields)) {
    const here = [...path, step];
    if (isChosen(here)) {
      chosen[step] = below;
    } else if (isEmpty(below)) {
      rest[step] = below;
    } else {
      const parts = partition(below, isChosen, here);
      if (!isEmpty(parts.chosen)) chosen[step] = parts.chosen;
      if (!isEmpty(parts.rest)) rest[step] = parts.rest;
    }
  }
  return { chosen, rest };
}

/** The object's values at these fields, for comparisons. */
export function selectValues(value: unknown, fields: ManagedFieldTree): unknown {
  if (value === undefined || isEmpty(fields)) return value;
  const values: { [step: string]: unknown } = {};
  for (const [step, below] of Object.entries(fields)) {
    values[step] = step === ITSELF ? true : selectValues(stepInto(value, step), below);
  }
  return values;
}

/** The object after the controller stops managing `fields`, except the fields that another manager sets (`keptFields`). */
export function dropFields(value: unknown, fields: ManagedFieldTree, keptFields: ManagedFieldTree): unknown {
  if (Array.isArray(value)) return dropItems(value, fields, keptFields);
  if (!isObject(value)) return value;
  const remaining: { [name: string]: unknown } = { ...value };
  for (const [step, below] of Object.entries(fields)) {
    const name = step.slice(2);
    if (!step.startsWith('f:') || !(name in remaining)) continue;
    const now = dropFieldsBelow(remaining[name], below, keptFields[step]);
    if (now === undefined) delete remaining[name];
    else remaining[name] = now;
  }
  return remaining;
}

function dropItems(
  items: readonly unknown[],
  fields: ManagedFieldTree,
  keptFields: ManagedFieldTree,
): readonly unknown[] {
  return items.flatMap(item => {
    const step = Object.keys(fields).find(step => isItem(item, step));
    if (step === undefined) return [item];
    const now = dropFieldsBelow(item, fields[step] ?? {}, keptFields[step]);
    return now === undefined ? [] : [now];
  });
}

/** The value below a field without the dropped fields; undefined when nothing remains of it. */
function dropFieldsBelow(value: unknown, below: ManagedFieldTree, keptFields: ManagedFieldTree | undefined): unknown {
  if (isEmpty(below)) return keptFields === undefined ? undefined : value;
  const now = dropFields(value, below, keptFields ?? {});
  const isBare = isObject(now) && Object.keys(now).length === 0;
  return keptFields === undefined && (isBare || (Array.isArray(now) && now.length === 0)) ? undefined : now;
}

function stepInto(value: unknown, step: string): unknown {
  if (step.startsWith('f:')) return isObject(value) ? value[step.slice(2)] : undefined;
  return Array.isArray(value) ? value.find(item => isItem(item, step)) : undefined;
}

function isItem(item: unknown, step: string): boolean {
  if (step.startsWith('v:')) return isDeepStrictEqual(item, JSON.parse(step.slice(2)));
  if (!step.startsWith('k:') || !isObject(item)) return false;
  const keys = JSON.parse(step.slice(2)) as { [key: string]: unknown };
  return Object.entries(keys).every(([key, value]) => isDeepStrictEqual(item[key], value));
}
