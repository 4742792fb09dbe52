/** JSON values; objects in the store are shared and never changed. */
import { isDeepStrictEqual } from 'node:util';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [field: string]: JsonValue | undefined };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isEqual = (a: unknown, b: unknown): boolean => a === b || isDeepStrictEqual(a, b);

/** JSON with sorted member names, so that equal values have equal texts. */
export function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .flatMap(name =>
      value[name] === undefined ? [] : [`${JSON.stringify(name)}:${canonical(value[name] as JsonValue)}`],
    );
  return `{${fields.join(',')}}`;
}
