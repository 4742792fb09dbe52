/** Wording for messages: the value that was found, and the values that a schema allows. */
import type { StructuralSchema } from '#schemas';
import { QUANTITY_FORM } from './quantity.ts';
import { isPlainObject } from './value-types.ts';

/** Maximum length of a quoted value in a message, in code points. */
const MAX_SHOWN = 60;
/** Maximum number of listed names. */
const MAX_LISTED = 12;

const TYPE_NAMES = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
} as const satisfies Record<NonNullable<StructuralSchema['type']>, string>;

/** The expected type of a schema, with its article. */
export function formatExpectedType(schema: StructuralSchema): string {
  if (schema['x-kubernetes-int-or-string']) return 'an integer or a string';
  if (schema['x-lintel-quantity']) return QUANTITY_FORM;
  if (schema['x-lintel-string-or-strings']) return 'a string or a list of strings';
  return schema.type === undefined ? 'any value' : TYPE_NAMES[schema.type];
}

/** The allowed values of a schema if it lists them, otherwise its type. */
export function formatExpectedValue(schema: StructuralSchema): string {
  return schema.enum === undefined ? formatExpectedType(schema) : formatAlternatives(schema.enum);
}

export function formatAlternatives(values: readonly unknown[]): string {
  return `one of ${values.map(each => JSON.stringify(each)).join(', ')}`;
}

/** Describes a value that was found. Its content appears only if `shown` is set, because it may be a misplaced secret. */
export function describeFound(value: unknown, shown: boolean): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 1 ? 'a list of 1 item' : `a list of ${value.length} items`;
  switch (typeof value) {
    case 'string':
      return shown ? `the string ${quote(value)}` : 'a string';
    case 'bigint':
      return shown ? `the integer ${value}` : 'an integer';
    case 'number': {
      const type = Number.isInteger(value) ? 'integer' : 'number';
      return shown ? `the ${type} ${value}` : `${type === 'integer' ? 'an' : 'a'} ${type}`;
    }
    case 'boolean':
      return shown ? `${value}` : 'a boolean';
    case 'object':
      return isPlainObject(value) ? 'an object' : 'a value that YAML does not have';
    default:
      return 'a value that YAML does not have';
  }
}

/** A quoted string on one line, truncated when long. */
export function quote(text: string): string {
  const shown = [...text.slice(0, 2 * MAX_SHOWN + 2)];
  return JSON.stringify(shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN).join('')}…` : text);
}

/** Names as `a, b, c`, truncated when there are many. */
export function formatList(names: readonly string[]): string {
  const rest = names.length - MAX_LISTED;
  return rest > 0 ? `${names.slice(0, MAX_LISTED).join(', ')} and ${rest} more` : names.join(', ');
}

/** A range such as `1 to 10`, `at least 1 item` or `at most 63 characters`. */
export function formatRange(low: number | undefined, high: number | undefined, unit = ''): string {
  const counted = (count: number): string => (unit === '' ? '' : ` ${unit}${count === 1 ? '' : 's'}`);
  if (low !== undefined && high !== undefined) return `${low} to ${high}${counted(high)}`;
  if (low !== undefined) return `at least ${low}${counted(low)}`;
  return high === undefined ? 'anything' : `at most ${high}${counted(high)}`;
}
