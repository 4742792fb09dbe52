import { isObject } from '#schemas';

/** The TypeScript type of a JSON Schema in a program, as far as its values are used. */

/** The type below a value; undefined for a value that may be missing or has no type. */
export function getSubschema(schema: unknown, field: string | number): unknown {
  if (!isObject(schema) || !isPlainSchema(schema)) return undefined;
  if (typeof field === 'number') return schema.type === 'array' ? schema.items : undefined;
  const { type, properties, required } = schema;
  if (type !== 'object' || !isObject(properties) || !Object.hasOwn(properties, field)) return undefined;
  const property = properties[field];
  const isPresent =
    (Array.isArray(required) && required.includes(field)) || (isObject(property) && Object.hasOwn(property, 'default'));
  return isPresent ? property : undefined;
}

/** The possible values, if there are few. */
export function readEnum(schema: unknown): readonly unknown[] | undefined {
  return isObject(schema) && Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Whether the type follows from `type` and `enum` alone. */
export function isPlainSchema(schema: unknown): boolean {
  return isObject(schema) && !['const', 'anyOf', 'oneOf'].some(keyword => Object.hasOwn(schema, keyword));
}
