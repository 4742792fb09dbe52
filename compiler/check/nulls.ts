import type { JsonObject, StructuralSchema } from '#schemas';
import { setOwnMember } from '../source/own-member.ts';
import { isPlainObject } from '../text/value-types.ts';
import { findSchemaAt } from './schema-at.ts';
import type { Path } from './violation.ts';

/** A null field, for example one without a value behind its colon. */
export interface NullField {
  readonly path: Path;
  readonly schema: StructuralSchema;
}

/**
 * The value without its fields that are null where the schema has no null: the API server drops them before it sets defaults and validates.
 * A null stays where removing it would leave the value incomplete: required fields without a default, and items of lists. Free-form parts
 * keep their nulls. The input is not changed; the result shares the parts without such fields.
 *
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting-and-nullable
 */
export function withoutNulls(
  schema: StructuralSchema,
  value: unknown,
): { readonly value: unknown; readonly dropped: readonly NullField[] } {
  const dropped: NullField[] = [];
  return { value: drop(schema, value, [], dropped), dropped };
}

function drop(schema: StructuralSchema, value: unknown, path: Path, dropped: NullField[]): unknown {
  if (Array.isArray(value)) return dropInList(schema, value, path, dropped);
  return isPlainObject(value) ? dropInObject(schema, value, path, dropped) : value;
}

function dropInList(schema: StructuralSchema, list: readonly unknown[], path: Path, dropped: NullField[]): unknown {
  const { items } = schema;
  if (items === undefined) return list;
  const copy = list.map((item, index) => drop(items, item, [...path, index], dropped));
  return copy.some((item, index) => item !== list[index]) ? copy : list;
}

function dropInObject(schema: StructuralSchema, object: JsonObject, path: Path, dropped: NullField[]): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(object)) {
    const field = findSchemaAt(schema, [name]);
    if (field === undefined) continue;
    const at = [...path, name];
    if (member === null && field.nullable !== true && mayLack(schema, name, field)) {
      dropped.push({ path: at, schema: field });
      copy ??= { ...object };
      delete copy[name];
      continue;
    }
    const rest = drop(field, member, at, dropped);
    if (rest === member) continue;
    copy ??= { ...object };
    setOwnMember(copy, name, rest);
  }
  return copy ?? object;
}

function mayLack(schema: StructuralSchema, name: string, field: StructuralSchema): boolean {
  return schema.required?.includes(name) !== true || field.default !== undefined;
}
