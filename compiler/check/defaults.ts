import type { StructuralSchema } from '#schemas';
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
  const present = Object.entries(value).map(([key, member]) => {
    const memberSchema = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : additional(schema);
    return [key, memberSchema === undefined ? member : withDefaults(memberSchema, member)] as const;
  });
  const added = Object.entries(schema.properties ?? {}).flatMap(([key, memberSchema]) =>
    memberSchema.default === undefined || Object.hasOwn(value, key)
      ? []
      : [[key, withDefaults(memberSchema, memberSchema.default)] as const],
  );
  // fromEntries defines members, where an assignment to `__proto__` would not.
  return Object.fromEntries([...present, ...added]);
}

function additional(schema: StructuralSchema): StructuralSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
