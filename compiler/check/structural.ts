/**
 * The structural check: compares a value with the schema of its kind, as the API server does, except that it reports unknown fields rather than
 * pruning them. The caller adds positions, codes and nearest-name hints.
 */

import type { JsonObject, StructuralSchema } from '#schemas';
import { findNearest } from '#shared/util';
import { describeFound, formatExpectedType, formatExpectedValue, formatList, formatRange } from '../text/describe.ts';
import { hasType, isPlainObject } from '../text/value-types.ts';
import { findDuplicates } from './lists.ts';
import { checkScalar, readExample } from './scalars.ts';
import type { Finding, Path, Violation } from './violation.ts';

export type { Violation } from './violation.ts';

/** Default limit on the collected violations of one value. */
export const DEFAULT_VIOLATION_LIMIT = 100;

interface Visit {
  readonly schema: StructuralSchema;
  readonly value: unknown;
  readonly path: Path;
  /** Whether messages may repeat the values from here on down. */
  readonly isShown: boolean;
  /** Whether the field is optional. */
  readonly optional: boolean;
}

/**
 * All violations of `schema` in `value`, in document order for each object: invalid and unknown fields first, then missing ones, except those
 * that an unknown field was probably meant to be. Never throws for a JSON-like value, and recurses no deeper than the schema: free-form parts
 * are not entered, so a deep or huge value costs nothing there. A field set to `undefined` counts as absent.
 *
 * Messages never contain values where the schema says `x-lintel-sensitive`, where a scalar replaces an object or a list (a secret instead of a
 * reference to it), and in a value whose `kind` is `Secret`.
 *
 * @param schema a tree of `generated/kinds.json`, or any structural schema
 * @param value parsed YAML or JSON; integers may be `bigint`
 * @param limit the search ends at this many violations, 1 or more; default {@link DEFAULT_VIOLATION_LIMIT}
 */
export function checkStructure(
  schema: StructuralSchema,
  value: unknown,
  limit: number = DEFAULT_VIOLATION_LIMIT,
): Violation[] {
  const out: Violation[] = [];
  const isShown = !(isPlainObject(value) && value.kind === 'Secret');
  visit({ schema, value, path: [], isShown, optional: false }, out, limit);
  return out.slice(0, limit);
}

function visit(at: Visit, out: Violation[], limit: number): void {
  if (out.length >= limit) return;
  const { schema, value, path } = at;
  const isShown = at.isShown && !schema['x-lintel-sensitive'];
  const here = (finding: Finding): void => {
    out.push({ path, at: 'value', ...finding });
  };
  if (value === null && schema.nullable) return;
  if (!hasType(schema, value)) here(createWrongType(schema, value, isShown, at.optional));
  else if (Array.isArray(value)) visitList({ ...at, isShown }, value, out, limit);
  else if (isPlainObject(value)) visitObject({ ...at, isShown }, value, out, limit);
  else checkScalar(schema, value, isShown).forEach(here);
}

function visitList(at: Visit, list: readonly unknown[], out: Violation[], limit: number): void {
  const { schema, path, isShown } = at;
  const size = checkSize(list.length, schema.minItems, schema.maxItems, 'item');
  if (size) out.push({ path, at: 'value', ...size });
  const { items } = schema;
  if (items === undefined) return;
  for (const [index, value] of list.entries()) {
    if (out.length >= limit) return;
    visit({ schema: items, value, path: [...path, index], isShown, optional: false }, out, limit);
  }
  for (const { index, finding } of findDuplicates(schema, list, isShown && !items['x-lintel-sensitive']))
    out.push({ path: [...path, index], at: 'value', ...finding });
}

function visitObject(at: Visit, object: JsonObject, out: Violation[], limit: number): void {
  const { schema, path, isShown } = at;
  const present = Object.keys(object).filter(name => object[name] !== undefined);
  const size = checkSize(present.length, schema.minProperties, schema.maxProperties, 'field');
  if (size) out.push({ path, at: 'value', ...size });
  const unknown: string[] = [];
  for (const name of present) {
    if (out.length >= limit) return;
    const field = findField(schema, name) ?? schema.additionalProperties;
    if (field) {
      const optional = schema.properties !== undefined && !schema.required?.includes(name);
      visit({ schema: field, value: object[name], path: [...path, name], isShown, optional }, out, limit);
    } else if (!schema['x-kubernetes-preserve-unknown-fields'] && schema.type === 'object') {
      unknown.push(name);
      out.push({ path: [...path, name], at: 'key', ...createUnknownField(schema, name) });
    }
  }
  const missing = (schema.required ?? []).filter(name => !Object.hasOwn(object, name) || object[name] === undefined);
  if (missing.length === 0) return;
  const meant = new Set(unknown.map(name => findNearest(name, listKnownFields(schema))));
  for (const name of missing) {
    if (!meant.has(name)) out.push({ path, at: 'key', ...createMissingField(schema, name) });
  }
}

function listKnownFields(schema: StructuralSchema): readonly string[] {
  return Object.keys(schema.properties ?? {});
}

function createUnknownField(schema: StructuralSchema, name: string): Finding {
  const candidates = listKnownFields(schema);
  const allowed = candidates.length === 0 ? 'no field is allowed here' : `allowed here: ${formatList(candidates)}`;
  return {
    kind: 'unknown-field',
    message: `unknown field ${JSON.stringify(name)}; ${allowed}`,
    candidates,
    field: name,
  };
}

function createMissingField(schema: StructuralSchema, name: string): Finding {
  const field = findField(schema, name);
  const expected = field ? formatExpectedValue(field) : 'a value';
  const message = `missing required field "${name}", ${expected}`;
  return { kind: 'missing-field', message, expected, field: name, ...readExample(field ?? {}) };
}

function createWrongType(schema: StructuralSchema, value: unknown, isShown: boolean, optional: boolean): Finding {
  const expected = formatExpectedType(schema);
  const container = schema.type === 'object' || schema.type === 'array';
  return {
    kind: 'wrong-type',
    message: `expected ${expected}, found ${describeFound(value, isShown && !container)}${suggestField(schema, value, optional)}`,
    expected,
    ...readExample(schema),
  };
}

function suggestField(schema: StructuralSchema, value: unknown, optional: boolean): string {
  if (value === null && optional) return '; give the field a value or leave it out';
  if (schema.type === 'string' && ['number', 'bigint', 'boolean'].includes(typeof value)) return '; put it in quotes';
  return '';
}

function checkSize(size: number, low: number | undefined, high: number | undefined, unit: string): Finding | undefined {
  if (size >= (low ?? 0) && size <= (high ?? Number.POSITIVE_INFINITY)) return undefined;
  const expected = formatRange(low, high, unit);
  return { kind: 'bounds', message: `expected ${expected}, found ${size}`, expected };
}

function findField(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  return Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
}
