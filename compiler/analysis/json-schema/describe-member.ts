import { isObject } from '#schemas';
import { isPlain, readProperties, readTypes, resolveSchema, type Schema } from './schema.ts';

/** What a schema says about one member of an object. */
export type SchemaMember =
  | { readonly type: 'described'; readonly schema: unknown }
  /** The schema does not restrict the member. */
  | { readonly type: 'open' }
  /** The schema does not describe the member; `certain` if it forbids such members. */
  | { readonly type: 'absent'; readonly certain: boolean; readonly names: readonly string[] }
  /** The value has no members at all, since it must be of one of these types. */
  | { readonly type: 'no-object'; readonly types: readonly string[] };

const OPEN: SchemaMember = { type: 'open' };

/** @param root the whole schema, for references within it */
export function describeMember(schema: unknown, name: string, root: unknown): SchemaMember {
  const self = resolveSchema(schema, root);
  if (self === undefined) return OPEN;
  const types = readTypes(self);
  if (types !== undefined && types.length > 0 && !types.includes('object')) return { type: 'no-object', types };
  const properties = readProperties(self);
  if (Object.hasOwn(properties, name)) return { type: 'described', schema: properties[name] };
  return toUndescribedMember(self, Object.keys(properties));
}

function toUndescribedMember(self: Schema, names: readonly string[]): SchemaMember {
  const { additionalProperties, patternProperties } = self;
  if (isObject(patternProperties) && Object.keys(patternProperties).length > 0) return OPEN;
  // A sibling schema cannot allow what this one forbids.
  if (additionalProperties === false) return { type: 'absent', certain: true, names };
  if (isObject(additionalProperties) && Object.keys(additionalProperties).length > 0) {
    return { type: 'described', schema: additionalProperties };
  }
  // An explicit `additionalProperties: true` is deliberate; a missing one may be an oversight.
  if (additionalProperties !== undefined || names.length === 0 || !isPlain(self)) return OPEN;
  return { type: 'absent', certain: false, names };
}
