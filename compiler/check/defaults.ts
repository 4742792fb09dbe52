import type { StructuralSchema } from '#schemas';
import { setOwnMember } from '../source/own-member.ts';
import { below } from './below.ts';

const hasDefaults = below(schema => schema.default !== undefined);

/**
 * The value with the schema's defaults, as the API server would store it: a default is set where its parent object is
 * present, and defaults inside defaults apply. The input is left as it is;
 * parts whose schema has no defaults are shared with it.
 */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (!hasDefaults(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map(item => withDefaults(items, item));
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties = {} } = schema;
  const result: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const memberSchema = Object.hasOwn(properties, key) ? properties[key] : additional(schema);
    setOwnMember(result, key, memberSchema === undefined ? member : withDefaults(memberSchema, member));
  }
  for (const [key, memberSchema] of defaultsOf(schema)) {
    if (!Object.hasOwn(value, key)) setOwnMember(result, key, withDefaults(memberSchema, memberSchema.default));
  }
  return result;
}

const KNOWN_DEFAULTS = new WeakMap<StructuralSchema, readonly (readonly [string, StructuralSchema])[]>();

/** The fields that have a default; few of the many that some objects have. */
function defaultsOf(schema: StructuralSchema): readonly (readonly [string, StructuralSchema])[] {
  const known = KNOWN_DEFAULTS.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.properties ?? {}).filter(([, field]) => field.default !== undefined);
  KNOWN_DEFAULTS.set(schema, fields);
  return fields;
}

function additional(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
