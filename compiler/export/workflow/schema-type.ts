import { isObject } from '#schemas';

/** What TypeScript makes of a JSON Schema that stands in a program, as far as values of it are used there. */

/** What is below a value; undefined for what may be missing, or has no type there. */
export function below(schema: unknown, field: string | number): unknown {
  if (!isObject(schema) || !isPlainSchema(schema)) return undefined;
  if (typeof field === 'number') return schema.type === 'array' ? schema.items : undefined;
  const { type, properties, required } = schema;
  if (type !== 'object' || !isObject(properties) || !Object.hasOwn(properties, field)) return undefined;
  const property = properties[field];
  const isPresent =
    (Array.isArray(required) && required.includes(field)) || (isObject(property) && Object.hasOwn(property, 'default'));
  return isPresent ? property : undefined;
}

/** The values that it may have, where that is some few of them. */
export function readEnum(schema: unknown): readonly unknown[] | undefined {
  return isObject(schema) && Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** Whether its type follows from `type` and `enum` alone. */
export function isPlainSchema(schema: unknown): boolean {
  return isObject(schema) && !['const', 'anyOf', 'oneOf'].some(keyword => Object.hasOwn(schema, keyword));
}
