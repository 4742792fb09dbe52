import { isObject } from '#schemas';

/**
 * Whether a value is a well-formed JSON Schema: every keyword has a value of the right type. References are not followed. Model providers refuse
 * a whole request over one malformed schema in it.
 *
 * @see https://json-schema.org/draft/2020-12
 */

/** Deepest nesting that is checked; a deeper schema is malformed. */
const MAX_DEPTH = 64;

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

type KeywordCheck = (value: unknown, at: string, depth: number) => string | undefined;

/**
 * The violation in a schema, with its JSON pointer; undefined for a well-formed one. Booleans are schemas. Forms of older drafts pass where they
 * are unambiguous: `items` as a list, `definitions`, `dependencies`.
 */
export function validateSchema(schema: unknown, at = '', depth = 0): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return formatViolation(at, 'must be a schema');
  if (depth > MAX_DEPTH) return formatViolation(at, `is nested deeper than ${MAX_DEPTH} levels`);
  for (const [keyword, value] of Object.entries(schema)) {
    const found = CHECKS.get(keyword)?.(value, `${at}/${escapeName(keyword)}`, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const text: KeywordCheck = (value, at) =>
  typeof value === 'string' ? undefined : formatViolation(at, 'must be a string');
const flag: KeywordCheck = (value, at) =>
  typeof value === 'boolean' ? undefined : formatViolation(at, 'must be true or false');
const number: KeywordCheck = (value, at) =>
  typeof value === 'number' ? undefined : formatViolation(at, 'must be a number');
const list: KeywordCheck = (value, at) => (Array.isArray(value) ? undefined : formatViolation(at, 'must be a list'));

const count: KeywordCheck = (value, at) =>
  Number.isInteger(value) && (value as number) >= 0
    ? undefined
    : formatViolation(at, 'must be a whole number from 0 on');

const divisor: KeywordCheck = (value, at) =>
  typeof value === 'number' && value > 0 ? undefined : formatViolation(at, 'must be a number above 0');

const names: KeywordCheck = (value, at) =>
  Array.isArray(value) && value.every(name => typeof name === 'string')
    ? undefined
    : formatViolation(at, 'must be a list of property names');

const type: KeywordCheck = (value, at) => {
  const types = Array.isArray(value) && value.length > 0 ? value : [value];
  return types.every(name => TYPES.has(name))
    ? undefined
    : formatViolation(at, 'must be a JSON type or a list of them');
};

const pattern: KeywordCheck = (value, at) => {
  if (typeof value !== 'string') return formatViolation(at, 'must be a string');
  return isPattern(value) ? undefined : formatViolation(at, 'is not a regular expression');
};

const schemas: KeywordCheck = (value, at, depth) => {
  if (!Array.isArray(value) || value.length === 0) return formatViolation(at, 'must be a list of schemas');
  return findFirst(value.entries(), ([index, schema]) => validateSchema(schema, `${at}/${index}`, depth));
};

const schemasByName: KeywordCheck = (value, at, depth) => {
  if (!isObject(value)) return formatViolation(at, 'must be an object of schemas');
  return findFirst(Object.entries(value), ([name, schema]) =>
    validateSchema(schema, `${at}/${escapeName(name)}`, depth),
  );
};

const schemasByPattern: KeywordCheck = (value, at, depth) =>
  schemasByName(value, at, depth) ??
  findFirst(Object.keys(value as object), name =>
    isPattern(name) ? undefined : formatViolation(`${at}/${escapeName(name)}`, 'is not a regular expression'),
  );

const namesByName: KeywordCheck = (value, at, depth) => {
  if (!isObject(value)) return formatViolation(at, 'must be an object');
  return findFirst(Object.entries(value), ([name, needed]) => names(needed, `${at}/${escapeName(name)}`, depth));
};

const schemaOrSchemas: KeywordCheck = (value, at, depth) =>
  Array.isArray(value) ? schemas(value, at, depth) : validateSchema(value, at, depth);

const CHECKS: ReadonlyMap<string, KeywordCheck> = new Map([
  ...each(validateSchema, 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'additionalProperties'),
  ...each(validateSchema, 'unevaluatedProperties', 'unevaluatedItems', 'additionalItems', 'contentSchema'),
  ...each(schemas, 'allOf', 'anyOf', 'oneOf', 'prefixItems'),
  ...each(schemaOrSchemas, 'items'),
  ...each(schemasByName, 'properties', '$defs', 'definitions', 'dependentSchemas'),
  ...each(schemasByPattern, 'patternProperties'),
  ...each(namesByName, 'dependentRequired'),
  ...each(text, '$ref', '$id', '$schema', '$anchor', '$dynamicRef', '$dynamicAnchor', '$comment', 'title'),
  ...each(text, 'description', 'format', 'contentEncoding', 'contentMediaType'),
  ...each(pattern, 'pattern'),
  ...each(number, 'maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum'),
  ...each(divisor, 'multipleOf'),
  ...each(count, 'maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'),
  ...each(count, 'maxContains', 'minContains'),
  ...each(flag, 'uniqueItems', 'deprecated', 'readOnly', 'writeOnly'),
  ...each(names, 'required'),
  ...each(list, 'enum', 'examples'),
  ...each(type, 'type'),
]);

function each(check: KeywordCheck, ...keywords: readonly string[]): [string, KeywordCheck][] {
  return keywords.map(keyword => [keyword, check]);
}

function findFirst<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Accepts patterns that are valid only without the `u` flag, too: they are common and harmless. */
function isPattern(source: string): boolean {
  return compiles(source, 'u') || compiles(source, '');
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

function formatViolation(at: string, problem: string): string {
  return `${at === '' ? 'the schema' : at} ${problem}`;
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
