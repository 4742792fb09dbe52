/** The JSON type of a parsed value. */
import type { JsonObject, StructuralSchema } from '#schemas';

/** Whether `value` has the schema's type; ignores `nullable`. */
export function hasType(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || isInteger(value);
  if (schema['x-lintel-quantity']) return ['string', 'number', 'bigint'].includes(typeof value);
  if (schema['x-lintel-string-or-strings'])
    return typeof value === 'string' || (Array.isArray(value) && value.every(item => typeof item === 'string'));
  switch (schema.type) {
    case 'object':
      return isPlainObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return isInteger(value);
    case 'number':
      return typeof value === 'bigint' || Number.isFinite(value);
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    default:
      return true;
  }
}

/** An integer, whether parsed as a number or as a bigint. */
export function isInteger(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** A mapping; dates, maps and other objects are not JSON. */
export function isPlainObject(value: unknown): value is JsonObject {
  return Object.prototype.toString.call(value) === '[object Object]';
}
