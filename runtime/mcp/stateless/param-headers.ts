import type { IncomingHttpHeaders } from 'node:http';
import { WIRE_CODE, WireError } from '../wire-error.ts';
import { decodeHeaderValue, UNSAFE } from './headers.ts';

/**
 * Arguments of a tool that are repeated in `Mcp-Param-…` headers, where its input schema asks for that by `x-mcp-header`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
export interface ParamHeader {
  /** `Mcp-Param-…` as the schema spells it; headers are found without regard to case. */
  readonly header: string;
  /** Names of properties, from the arguments inwards. */
  readonly path: readonly string[];
}

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/** Keywords whose value is data, and keywords whose members are schemas under names of their own. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
const NAMED: ReadonlySet<string> = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties']);

/** What an input schema asks for; undefined when it asks in a way that makes its tool invalid. */
export function paramHeadersOf(inputSchema: unknown): readonly ParamHeader[] | undefined {
  const found: ParamHeader[] = [];
  if (!collect(inputSchema, [], found)) return undefined;
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  return names.size === found.length ? found : undefined;
}

/** @param path Where the value of this schema is; undefined when no chain of properties leads there. */
function collect(schema: unknown, path: readonly string[] | undefined, found: ParamHeader[]): boolean {
  if (Array.isArray(schema)) return schema.every(inner => collect(inner, undefined, found));
  if (!isObject(schema)) return true;
  return Object.entries(schema).every(([keyword, value]) => {
    if (keyword === ANNOTATION) return addHeader(value, schema.type, path, found);
    if (DATA.has(keyword)) return true;
    if (keyword === 'properties' && isObject(value)) {
      return Object.entries(value).every(([name, inner]) => collect(inner, path && [...path, name], found));
    }
    if (NAMED.has(keyword) && isObject(value)) return collect(Object.values(value), undefined, found);
    return collect(value, undefined, found);
  });
}

function addHeader(name: unknown, type: unknown, path: readonly string[] | undefined, found: ParamHeader[]): boolean {
  if (typeof name !== 'string' || !TOKEN.test(name) || !TYPES.includes(type)) return false;
  if (path === undefined || path.length === 0) return false;
  found.push({ header: `Mcp-Param-${name}`, path });
  return true;
}

/**
 * Checks the headers of a call against its arguments.
 * @throws WireError -32020
 */
export function checkParamHeaders(
  declared: readonly ParamHeader[],
  headers: IncomingHttpHeaders,
  callArguments: unknown,
): void {
  for (const { header, path } of declared) {
    const value = headers[header.toLowerCase()] as string | undefined;
    if (!isSame(value, valueAt(callArguments, path))) {
      const message = `the ${header} header does not match params.arguments.${path.join('.')} of the message`;
      throw new WireError(WIRE_CODE.headerMismatch, message);
    }
  }
}

function isSame(header: string | undefined, argument: unknown): boolean {
  // Only single values can stand in a header; for all others there must be none.
  if (!['string', 'number', 'boolean'].includes(typeof argument)) return header === undefined;
  if (header === undefined) return false;
  const decoded = decodeHeaderValue(header);
  if (typeof argument === 'number') return /^-?\d+(\.\d+)?$/.test(decoded ?? '') && Number(decoded) === argument;
  return decoded === String(argument) && !UNSAFE.test(header);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (!isObject(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
