import { isObject } from '#schemas';

/** Which type TypeScript gives to a value with a JSON Schema in the exported program. */

/** The schema of a field or an item; undefined if the value may be absent or its type is not known. */
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

/** The possible values, if the schema lists them. */
export function readEnum(schema: unknown): readonly unknown[] | undefined {
  return isObject(schema) && Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Whether no other keyword than `type` and `enum` determines the type. */
export function isPlainSchema(schema: unknown): boolean {
  return isObject(schema) && !['const', 'anyOf', 'oneOf'].some(keyword => Object.hasOwn(schema, keyword));
}
