/** Converts values of an object for CEL rules. Their CEL types come from the schema, not from how YAML or JSON was parsed. */
import type { StructuralSchema } from '#schemas';
import { isPlainObject } from '../../text/value-types.ts';

export type CelJson = null | boolean | number | bigint | string | readonly CelJson[] | ReadonlyMap<string, CelJson>;

/**
 * - Integers are `int`, numbers `double`; without a schema, a whole number is an integer.
 * - Durations and times stay strings: a rule calls `duration(self.timeout)`.
 * - Objects are maps of the present fields, which `has()` tests. A field whose name is not a CEL identifier has its escaped name, as on the API
 * server; keys of maps are not escaped.
 * - Lists are equal when their items are, in this order; the API server ignores the order of `x-kubernetes-list-type: set`.
 */
export function toCelValue(schema: StructuralSchema, value: unknown): CelJson {
  if (Array.isArray(value)) return value.map(item => toCelValue(schema.items ?? {}, item));
  if (isPlainObject(value)) {
    const map = new Map<string, CelJson>();
    for (const [name, member] of Object.entries(value)) if (member !== undefined) addEntry(map, schema, name, member);
    return map;
  }
  if (typeof value === 'number') {
    return schema.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value;
  }
  if (typeof value === 'bigint') return schema.type === 'number' ? Number(value) : value;
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
}

function addEntry(map: Map<string, CelJson>, schema: StructuralSchema, name: string, value: unknown): void {
  const field = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
  if (field !== undefined) map.set(escapeCelName(name), toCelValue(field, value));
  else map.set(name, toCelValue(schema.additionalProperties ?? {}, value));
}

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** The name of a field in rules. @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules */
export function escapeCelName(name: string): string {
  if (/^[A-Za-z]+$/.test(name)) return RESERVED.has(name) ? `__${name}__` : name;
  return name.replace(/__|[./-]/g, found => ESCAPES[found] ?? found);
}
