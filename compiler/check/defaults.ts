import type { JsonObject, StructuralSchema } from '#schemas';
import { setOwnMember } from '../source/own-member.ts';
import { someSchema } from './schema-contains.ts';

const hasDefaults = someSchema(schema => schema.default !== undefined);

/**
 * The value with the schema's defaults, as the API server would store it: a default applies if its parent object exists, and defaults within
 * defaults apply. The input is not modified; unchanged parts are shared with it.
 */
export function withDefaults(schema: StructuralSchema, value: unknown): unknown {
  if (!hasDefaults(schema)) return value;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return value;
    const list = value.map(item => withDefaults(items, item));
    return list.some((item, index) => item !== value[index]) ? list : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  return fillObject(schema, value as JsonObject);
}

function fillObject(schema: StructuralSchema, value: JsonObject): JsonObject {
  const { properties = {} } = schema;
  let result = value;
  const set = (key: string, member: unknown): void => {
    if (result === value) result = { ...value };
    setOwnMember(result, key, member);
  };
  for (const key of Object.keys(value)) {
    const memberSchema = Object.hasOwn(properties, key) ? properties[key] : getAdditionalSchema(schema);
    if (memberSchema === undefined) continue;
    const member = withDefaults(memberSchema, value[key]);
    if (member !== value[key]) set(key, member);
  }
  for (const [key, memberSchema] of getDefaults(schema)) {
    if (!Object.hasOwn(value, key)) set(key, withDefaults(memberSchema, memberSchema.default));
  }
  return result;
}

const KNOWN_DEFAULTS = new WeakMap<StructuralSchema, readonly (readonly [string, StructuralSchema])[]>();

/** The fields with a default, which are few. */
function getDefaults(schema: StructuralSchema): readonly (readonly [string, StructuralSchema])[] {
  const known = KNOWN_DEFAULTS.get(schema);
  if (known !== undefined) return known;
  const fields = Object.entries(schema.properties ?? {}).filter(([, field]) => field.default !== undefined);
  KNOWN_DEFAULTS.set(schema, fields);
  return fields;
}

function getAdditionalSchema(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
