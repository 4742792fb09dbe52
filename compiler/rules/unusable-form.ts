import { isObject } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { listSteps } from '../resolve/composite-tools.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { formatList } from '../text/describe.ts';

/** Maximum size of the schema as JSON in UTF-8, in bytes. */
const MAX_BYTES = 100 * 1024;
/** Maximum nesting of mappings and lists. */
const MAX_LEVELS = 10;

/**
 * The schema of an elicitation must be a form: an object of strings, numbers, Booleans and choices. Clients support nothing else.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#requested-schema
 * @holds config.compositeTools and VirtualMCPCompositeToolDefinition | `schema` | a flat form of primitives and choices; at most 100 KB and 10
 *   levels | LNT7024
 */
export function unusableForm(resource: Resource): Diagnostic[] {
  return listSteps(resource).flatMap(({ step: { type, schema }, path }) => {
    if (type !== 'elicitation' || schema === undefined) return [];
    const at = [...path, 'schema'];
    const tooMuch = findExcess(schema);
    if (tooMuch !== undefined) return [diagnose(resource.document, 'LNT7024', at, tooMuch, { at: 'key' })];
    return checkForm(schema).map(({ path: below, message, ...details }) =>
      diagnose(resource.document, 'LNT7024', [...at, ...below], message, details),
    );
  });
}

interface FormProblem {
  readonly path: Path;
  readonly message: string;
  readonly at?: 'key';
  readonly severity?: 'warning';
}

/** Keywords of each field type, besides the common ones. */
const FIELD_KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
  array: ['minItems', 'maxItems', 'items'],
};
const COMMON_KEYWORDS = ['type', 'title', 'description', 'default'];
const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'];
const ROOT_KEYWORDS = ['$schema', 'type', 'properties', 'required', 'title', 'description'];

function checkForm(schema: Readonly<Record<string, unknown>>): FormProblem[] {
  const { type, properties } = schema;
  if (type !== 'object') {
    return [{ path: type === undefined ? [] : ['type'], message: 'the schema of an answer must be of type "object"' }];
  }
  const found = checkIdle(schema, ROOT_KEYWORDS, []);
  if (!isObject(properties)) return [...found, { path: [], message: 'the schema of an answer needs properties' }];
  return [
    ...found,
    ...Object.entries(properties).flatMap(([name, property]) => checkField(property, ['properties', name])),
  ];
}

function checkField(schema: unknown, path: Path): FormProblem[] {
  // Another rule reports an invalid schema.
  if (!isObject(schema)) return [];
  const { type, format, items } = schema;
  const own = typeof type === 'string' && Object.hasOwn(FIELD_KEYWORDS, type) ? FIELD_KEYWORDS[type] : undefined;
  if (own === undefined) {
    const message = `a field of a form must be of type ${formatList(Object.keys(FIELD_KEYWORDS))}`;
    return [{ path: type === undefined ? path : [...path, 'type'], message }];
  }
  const found = checkIdle(schema, [...COMMON_KEYWORDS, ...own], path);
  if (type === 'string' && typeof format === 'string' && !FORMATS.includes(format)) {
    const message = `clients know the formats ${FORMATS.join(', ')} only`;
    found.push({ path: [...path, 'format'], message, severity: 'warning' });
  }
  if (type === 'array' && !isChoice(items)) {
    const message = 'a list in a form is a choice: items must be strings with enum, or with anyOf of const and title';
    found.push({ path: items === undefined ? path : [...path, 'items'], message });
  }
  if (schema.oneOf !== undefined && !isTitled(schema.oneOf)) {
    found.push({ path: [...path, 'oneOf'], message: 'each entry of oneOf must have const and title' });
  }
  return found;
}

/** Keywords that clients ignore, so that answers may violate them. */
function checkIdle(schema: object, known: readonly string[], path: Path): FormProblem[] {
  const other = Object.keys(schema).filter(keyword => !known.includes(keyword));
  return other.map(keyword => {
    const message = `forms do not have ${JSON.stringify(keyword)}: clients may ignore it or refuse the question`;
    return { path: [...path, keyword], at: 'key', message, severity: 'warning' };
  });
}

function isChoice(items: unknown): boolean {
  if (!isObject(items)) return false;
  return (items.type === 'string' && Array.isArray(items.enum)) || isTitled(items.anyOf);
}

function isTitled(choices: unknown): boolean {
  return (
    Array.isArray(choices) &&
    choices.every(choice => isObject(choice) && typeof choice.const === 'string' && typeof choice.title === 'string')
  );
}

function findExcess(schema: object): string | undefined {
  if (countLevels(schema) > MAX_LEVELS) return `the schema has more than ${MAX_LEVELS} levels`;
  const text = JSON.stringify(schema, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_BYTES ? `the schema has ${bytes} bytes, at most ${MAX_BYTES} are possible` : undefined;
}

/** The recursion is safe, because the reader of sources limits the depth of values. */
function countLevels(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let deepest = 0;
  for (const member of Object.values(value)) deepest = Math.max(deepest, countLevels(member));
  return deepest + 1;
}
