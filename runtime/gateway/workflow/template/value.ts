/** The values of templates, with Go's types. */
import type { Budget } from './limits.ts';

/** Go's `uint8`: the result of indexing a string. */
export class Byte {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export type ValueMap = { readonly [key: string]: TemplateValue };

/**
 * Values of `JSON.parse` with Go's types: a number is a `float64`. A `bigint` is an `int`, as literals and counters are. `undefined` is a
 * missing value, such as a missing key; `null` is JSON's. Only reading a field distinguishes the two. Strings are Go's, which are bytes: one
 * that is not UTF-8 has its stray bytes as U+DC80 to U+DCFF (see `byte-text.ts`).
 */
export type TemplateValue =
  | undefined
  | null
  | boolean
  | string
  | number
  | bigint
  | Byte
  | readonly TemplateValue[]
  | ValueMap;

export function isList(value: TemplateValue): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

export function isMap(value: TemplateValue): value is ValueMap {
  return typeof value === 'object' && value !== null && !(value instanceof Byte) && !isList(value);
}

/** Go's name for the type of a value. */
export function getTypeName(value: TemplateValue): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    case 'bigint':
      return 'int';
    default:
      if (value === undefined || value === null) return 'nil';
      if (value instanceof Byte) return 'uint8';
      return isList(value) ? '[]interface {}' : 'map[string]interface {}';
  }
}

/** Whether a value is true in Go: all values are except nil and the zero or empty value of a type. */
export function isTrue(value: TemplateValue, budget: Budget): boolean {
  if (value instanceof Byte) return value.value !== 0;
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return countEntries(value, budget) > 0;
  return Boolean(value);
}

/** Listing the keys of a large map is slow: about a tenth of a microsecond each. */
const KEYS_PER_STEP = 10;

/** The number of a map's entries, which JavaScript has to count. */
export function countEntries(map: ValueMap, budget: Budget): number {
  const { length } = Object.keys(map);
  budget.spend(length / KEYS_PER_STEP);
  return length;
}
