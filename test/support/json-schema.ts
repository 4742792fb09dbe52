/** JSON Schemas in the package, and the validation of Lintel's documents against them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ROOT } from './process.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });

/** Errors as `/place keyword`. */
export function listSchemaErrors(schema: JsonSchema, text: string): readonly string[] {
  const validate = ajv.compile(schema);
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(error => `${error.instancePath} ${error.keyword}`);
}

/** @param path from the root of the repository */
export function schemaAt(path: string): JsonSchema {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as JsonSchema;
}

/**
 * The same schema without any additional members: readers must accept what a later version adds, but writers must not add undescribed members.
 */
export function closed<T>(node: T): T {
  return close(node) as T;
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value)]));
  return copy.type === 'object' && 'properties' in copy ? { ...copy, additionalProperties: false } : copy;
}

const validators = new WeakMap<object, Map<string, ValidateFunction>>();

/**
 * Validates values against a schema in an OpenAPI document, without any additional members. Equal schemas are compiled once, because that
 * takes longer than hundreds of validations.
 */
export function validatorIn({ components }: { readonly components: object }, schema: object): ValidateFunction {
  const known = validators.get(components) ?? new Map<string, ValidateFunction>();
  validators.set(components, known);
  const text = JSON.stringify(schema);
  const found = known.get(text);
  if (found !== undefined) return found;
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  formats.default(ajv);
  const validate = ajv.compile({ ...closed(schema), components: closed(components) });
  known.set(text, validate);
  return validate;
}
