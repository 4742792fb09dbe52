import { pointerOf } from '../diagnostics/pointer.ts';
import { isMapping } from '../source/is-mapping.ts';
import type { Path } from '../source/source-document.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Keywords whose value is a schema, a list of schemas, or a mapping of names to schemas; `items` was a list once. */
const ONE = wordsOf('additionalProperties contains else if items not propertyNames then');
const LIST = wordsOf('allOf anyOf items oneOf prefixItems');
const NAMED = wordsOf('$defs definitions dependentSchemas patternProperties properties');

/** Deeper ones are not looked at. */
const MAX_DEPTH = 64;

/** What is wrong with a JSON Schema, in words with the place: the first thing, or undefined. */
export function schemaProblem(schema: unknown): string | undefined {
  return problemAt(schema, []);
}

function problemAt(schema: unknown, path: Path): string | undefined {
  if (typeof schema === 'boolean' || path.length > MAX_DEPTH) return undefined;
  if (!isMapping(schema)) return `${placeText(path)} is no schema`;
  const wrong = keywordProblem(schema, path);
  if (wrong !== undefined) return wrong;
  for (const [keyword, value] of Object.entries(schema)) {
    const found = belowKeyword(keyword, value, [...path, keyword]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function keywordProblem({ type, required, enum: choices }: Readonly<Record<string, unknown>>, path: Path) {
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const unknown = types.find(name => !TYPES.includes(name as string));
  if (unknown !== undefined) {
    return `${placeText([...path, 'type'])} is ${JSON.stringify(unknown)}, which is no type of JSON Schema`;
  }
  // Draft 3 and OpenAPI habits: `required: true` at the member itself.
  if (required !== undefined && !(Array.isArray(required) && required.every(name => typeof name === 'string'))) {
    return `${placeText([...path, 'required'])} is no list of names`;
  }
  return choices === undefined || Array.isArray(choices) ? undefined : `${placeText([...path, 'enum'])} is no list`;
}

function belowKeyword(keyword: string, value: unknown, path: Path): string | undefined {
  if (LIST.has(keyword) && Array.isArray(value)) return firstOf(value.entries(), path);
  if (ONE.has(keyword)) return problemAt(value, path);
  if (LIST.has(keyword)) return `${placeText(path)} is no list`;
  if (!NAMED.has(keyword)) return undefined;
  return isMapping(value)
    ? firstOf(Object.entries(value), path)
    : `${placeText(path)} is no mapping of names to schemas`;
}

function firstOf(parts: Iterable<[string | number, unknown]>, path: Path): string | undefined {
  for (const [step, part] of parts) {
    const found = problemAt(part, [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function placeText(path: Path): string {
  return path.length === 0 ? 'it' : pointerOf(path);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
