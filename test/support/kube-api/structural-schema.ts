/** Prunes, defaults and validates custom resources by their structural schemas, without CEL rules. */
import type { Cause } from './api-error.ts';
import { canonical, isEqual, isObject, type JsonObject, type JsonValue } from './json.ts';

type Maybe = JsonValue | undefined;

const propertiesOf = (schema: JsonObject): { readonly [name: string]: JsonObject } =>
  (schema.properties ?? {}) as { readonly [name: string]: JsonObject };

const isOpen = (schema: JsonObject): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true || schema.additionalProperties !== undefined;

function below(schema: JsonObject, name: string): JsonObject | undefined {
  const properties = propertiesOf(schema);
  if (Object.hasOwn(properties, name)) return properties[name];
  return isObject(schema.additionalProperties) ? schema.additionalProperties : undefined;
}

/** The value without unknown fields; reports their paths. */
export function prune(
  schema: JsonObject,
  value: Maybe,
  unknown: (path: string) => void,
  path = '',
  isRoot = true,
): Maybe {
  if (Array.isArray(value)) {
    const items = schema.items as JsonObject | undefined;
    if (items === undefined) return value;
    return (value as readonly JsonValue[]).map(
      (item, at) => prune(items, item, unknown, `${path}[${at}]`, false) as JsonValue,
    );
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const at = path === '' ? name : `${path}.${name}`;
      if (isRoot && ['apiVersion', 'kind', 'metadata'].includes(name)) return [[name, inner]];
      const field = below(schema, name);
      if (field !== undefined) return [[name, prune(field, inner, unknown, at, false)]];
      if (isOpen(schema)) return [[name, inner]];
      unknown(at);
      return [];
    }),
  );
}

/** Adds the defaults of missing members. Null counts as missing where it is not allowed. */
export function addDefaults(schema: JsonObject, value: Maybe): Maybe {
  if (Array.isArray(value)) {
    const items = schema.items as JsonObject | undefined;
    return items === undefined
      ? value
      : (value as readonly JsonValue[]).map(item => addDefaults(items, item) as JsonValue);
  }
  if (!isObject(value)) return value;
  const isThere = ([name, inner]: [string, Maybe]) =>
    inner !== null || propertiesOf(schema)[name] === undefined || propertiesOf(schema)[name]?.nullable === true;
  const result: { [name: string]: Maybe } = Object.fromEntries(Object.entries(value).filter(isThere));
  for (const [name, field] of Object.entries(propertiesOf(schema))) {
    const isMissing = result[name] === undefined || (result[name] === null && field.nullable !== true);
    if (isMissing && field.default !== undefined) result[name] = field.default;
  }
  for (const [name, inner] of Object.entries(result)) {
    const field = below(schema, name);
    if (field !== undefined) result[name] = addDefaults(field, inner);
  }
  return result;
}

/** After one of these errors the API server does not evaluate CEL rules, and reports that. */
const BLOCKING = [
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
];

/** All violations in an object, with the API server's messages. */
export function validateCustomResource(schema: JsonObject, value: JsonObject): Cause[] {
  const causes = validate(schema, value);
  if (!causes.some(({ reason }) => BLOCKING.includes(reason)) || !hasRules(schema)) return causes;
  const message =
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...causes, { reason: 'FieldValueInvalid', message, field: '<nil>' }];
}

const hasRules = (schema: JsonObject): boolean => JSON.stringify(schema).includes('"x-kubernetes-validations"');

function validate(schema: JsonObject, value: Maybe, path = ''): Cause[] {
  const causes: Cause[] = [];
  const wrong = (message: string, reason = 'FieldValueInvalid') =>
    causes.push({ reason, message, field: path === '' ? '<nil>' : path });
  const invalid = (what: string) => wrong(`Invalid value: ${shown(value)}: ${path} in body ${what}`);

  if (schema['x-kubernetes-int-or-string'] === true) {
    if (typeof value !== 'string' && !Number.isInteger(value))
      invalid(`must be of type integer,string: ${shown(typeOf(value))}`);
    return causes;
  }
  if (value === null && schema.nullable === true) return causes;
  if (typeof schema.type === 'string' && !isOfType(schema.type, value)) {
    const shownType = JSON.stringify(typeOf(value));
    wrong(
      `Invalid value: ${shownType}: ${path} in body must be of type ${schema.type}: ${shownType}`,
      'FieldValueTypeInvalid',
    );
  }
  if (Array.isArray(schema.enum) && !schema.enum.some(one => isEqual(one, value))) {
    const supported = schema.enum.map(one => JSON.stringify(one)).join(', ');
    wrong(`Unsupported value: ${shown(value)}: supported values: ${supported}`, 'FieldValueNotSupported');
  }
  if (typeof value === 'string') causes.push(...validateString(schema, value, path));
  if (typeof value === 'number') {
    if (typeof schema.minimum === 'number' && value < schema.minimum) {
      invalid(`should be greater than or equal to ${schema.minimum}`);
    }
    if (typeof schema.maximum === 'number' && value > schema.maximum)
      invalid(`should be less than or equal to ${schema.maximum}`);
  }
  if (Array.isArray(value)) causes.push(...validateList(schema, value, path));
  if (isObject(value)) causes.push(...validateMap(schema, value, path));
  return causes;
}

function validateString(schema: JsonObject, value: string, path: string): Cause[] {
  const causes: Cause[] = [];
  const length = [...value].length;
  const invalid = (what: string) =>
    causes.push({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${shown(value)}: ${path} in body ${what}`,
      field: path,
    });
  if (typeof schema.maxLength === 'number' && length > schema.maxLength) {
    const message = `Too long: may not be more than ${schema.maxLength} bytes`;
    causes.push({ reason: 'FieldValueTooLong', message, field: path });
  }
  if (typeof schema.minLength === 'number' && length < schema.minLength) {
    invalid(`should be at least ${schema.minLength} chars long`);
  }
  if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern, 'u').test(value)) {
    invalid(`should match '${schema.pattern}'`);
  }
  if (schema.format === 'date-time' && !isDateTime(value)) {
    invalid(`must be of type date-time: ${JSON.stringify(value)}`);
  }
  return causes;
}

/** Whether a text is a date and a time with its zone, in the format of RFC 3339. */
const isDateTime = (value: string): boolean =>
  /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value));

function validateList(schema: JsonObject, value: readonly JsonValue[], path: string): Cause[] {
  const causes: Cause[] = [];
  if (typeof schema.maxItems === 'number' && value.length > schema.maxItems) {
    const message = `Too many: ${value.length}: must have at most ${schema.maxItems} items`;
    causes.push({ reason: 'FieldValueTooMany', message, field: path });
  }
  if (typeof schema.minItems === 'number' && value.length < schema.minItems) {
    const message = `Invalid value: ${value.length}: ${path} in body should have at least ${schema.minItems} items`;
    causes.push({ reason: 'FieldValueInvalid', message, field: path });
  }
  const items = schema.items as JsonObject | undefined;
  if (items !== undefined)
    for (const [at, item] of value.entries()) causes.push(...validate(items, item, `${path}[${at}]`));
  const keys = schema['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  const isSet = schema['x-kubernetes-list-type'] === 'set';
  if (!isSet && keys === undefined) return causes;
  const seen = new Set<string>();
  for (const [at, item] of value.entries()) {
    const key = isSet || !isObject(item) ? item : Object.fromEntries((keys ?? []).map(name => [name, item[name]]));
    const text = canonical(key);
    if (seen.has(text)) {
      causes.push({ reason: 'FieldValueDuplicate', message: `Duplicate value: ${text}`, field: `${path}[${at}]` });
    }
    seen.add(text);
  }
  return causes;
}

function validateMap(schema: JsonObject, value: JsonObject, path: string): Cause[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const causes = ((schema.required ?? []) as readonly string[])
    .filter(name => value[name] === undefined)
    .map((name): Cause => ({ reason: 'FieldValueRequired', message: 'Required value', field: at(name) }));
  const count = Object.keys(value).length;
  if (typeof schema.maxProperties === 'number' && count > schema.maxProperties) {
    const message = `Too many: ${count}: must have at most ${schema.maxProperties} items`;
    causes.push({ reason: 'FieldValueTooMany', message, field: path });
  }
  for (const [name, inner] of Object.entries(value)) {
    if (path === '' && ['apiVersion', 'kind', 'metadata'].includes(name)) continue;
    const field = below(schema, name);
    if (field !== undefined) causes.push(...validate(field, inner, at(name)));
  }
  return causes;
}

function isOfType(type: string, value: Maybe): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function typeOf(value: Maybe): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

const shown = (value: Maybe): string => JSON.stringify(value) ?? 'null';
