/**
 * A tool may require that arguments are sent as HTTP headers as well (`x-mcp-header`), so that intermediaries can route by them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */

const ANNOTATION = 'x-mcp-header';

/** A field name of RFC 9110, section 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const TYPES: ReadonlySet<unknown> = new Set(['integer', 'string', 'boolean']);

/** One argument that is copied into a header. */
export interface ParamHeader {
  /** The header's name in lower case, `mcp-param-` included. */
  readonly header: string;
  /** Names of properties from the arguments down to the value. */
  readonly path: readonly string[];
  readonly type: 'integer' | 'string' | 'boolean';
}

/** The headers that an input schema declares, or the error in one of the annotations. */
export type ParamHeaders =
  | { readonly ok: true; readonly headers: readonly ParamHeader[] }
  | { readonly ok: false; readonly violation: string };

/** Reads the annotations of an input schema. Most schemas have none, and cost one walk. */
export function readParamHeaders(inputSchema: unknown): ParamHeaders {
  const headers: ParamHeader[] = [];
  const violation = walk(inputSchema, [], true, headers);
  if (violation !== undefined) return { ok: false, violation };
  const seen = new Set<string>();
  for (const { header } of headers) {
    if (seen.has(header)) return { ok: false, violation: `two parameters have the ${ANNOTATION} of ${header}` };
    seen.add(header);
  }
  return { ok: true, headers };
}

/** `isReachable`: every step from the root was a property; an annotation at any other place names no single value. */
function walk(
  schema: unknown,
  path: readonly string[],
  isReachable: boolean,
  found: ParamHeader[],
): string | undefined {
  if (Array.isArray(schema)) return findFirstViolation(schema, item => walk(item, path, false, found));
  if (typeof schema !== 'object' || schema === null) return undefined;
  const members = schema as { readonly [name: string]: unknown };
  if (Object.hasOwn(members, ANNOTATION)) {
    const violation = findAnnotated(members, path, isReachable, found);
    if (violation !== undefined) return violation;
  }
  return findFirstViolation(Object.entries(members), ([keyword, value]) => {
    if (LITERALS.has(keyword)) return undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    if (keyword === 'properties') {
      return findFirstViolation(Object.entries(value), ([name, inner]) =>
        walk(inner, [...path, name], isReachable, found),
      );
    }
    // The schema's author names these members: a property may have the name of the annotation.
    if (NAMED.has(keyword)) return findFirstViolation(Object.values(value), inner => walk(inner, path, false, found));
    return walk(value, path, false, found);
  });
}

/** Keywords whose values are data, not schemas: an annotation in them has no meaning. */
const LITERALS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Keywords whose value holds schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties']);

function findAnnotated(
  schema: { readonly [name: string]: unknown },
  path: readonly string[],
  isReachable: boolean,
  found: ParamHeader[],
): string | undefined {
  const name = schema[ANNOTATION];
  const label = path.length === 0 ? 'the input schema' : `parameter "${path.join('.')}"`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `the ${ANNOTATION} of ${label} is not the name of a header`;
  if (!isReachable || path.length === 0)
    return `the ${ANNOTATION} "${name}" is not at a property reached by properties`;
  if (!TYPES.has(schema.type)) return `${label} has an ${ANNOTATION} and is no integer, string or boolean`;
  found.push({ header: `mcp-param-${name.toLowerCase()}`, path, type: schema.type as ParamHeader['type'] });
  return undefined;
}

function findFirstViolation<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const violation = find(item);
    if (violation !== undefined) return violation;
  }
  return undefined;
}
