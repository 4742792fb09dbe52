/**
 * Arguments of a tool that its server wants to see as headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isHeaderValue, type ParamHeader } from '#schemas';
import type { Envelope } from './envelope.ts';
import { decodeHeaderValue, encodeHeaderValue, UNSAFE } from './header-value.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The headers that go with a call, encoded; names and values in turn. An argument that is missing or null has none. */
export function mirroredArguments(envelope: Envelope, plan: readonly ParamHeader[]): string[] {
  const values = argumentsOf(envelope);
  return plan.flatMap(({ header, path }) => {
    const value = valueAt(values, path);
    return isSingle(value) ? [header, encodeHeaderValue(String(value))] : [];
  });
}

/**
 * Checks that the headers of a call say what its arguments say.
 * @throws WireError -32020
 */
export function checkParamHeaders(
  headers: IncomingHttpHeaders,
  envelope: Envelope,
  plan: readonly ParamHeader[],
): void {
  const values = argumentsOf(envelope);
  for (const { header, path } of plan) {
    const name = path.join('.');
    if (isSame(headers[header] as string | undefined, valueAt(values, path))) continue;
    throw new WireError(
      WIRE_CODE.headerMismatch,
      `the ${header} header does not match params.arguments.${name} of the message`,
    );
  }
}

const PREFIX = 'mcp-param-';

/**
 * The `Mcp-Param-…` headers of a client's request that its tool is not known to ask for: whoever comes after us may know them,
 * so they are handed on. Names in lower case and values in turn; undefined when there are none, as is usual. There are as many
 * and they are as long as the listener takes headers at all.
 *
 * @param plan of the tool, whose headers are made from the arguments
 * @throws WireError -32020 for a value that no header may have
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers
 */
export function unknownParamHeaders(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  plan: readonly ParamHeader[] | undefined,
): readonly string[] | undefined {
  let found: Map<string, string> | undefined;
  // The raw ones, since a list is walked in a fraction of the time that the names of an object take.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!mayBeParam(name)) continue;
    const key = name.toLowerCase();
    if (!key.startsWith(PREFIX) || plan?.some(({ header }) => header === key) === true) continue;
    // Node joins what came several times.
    const value = headers[key] as string;
    if (!isHeaderValue(value)) {
      throw new WireError(WIRE_CODE.headerMismatch, `the ${key} header has invalid characters`);
    }
    found ??= new Map();
    found.set(key, value);
  }
  return found && [...found].flat();
}

/** Two hyphens tell almost every other header apart. */
function mayBeParam(name: string): boolean {
  return name.length > PREFIX.length && name.charCodeAt(3) === HYPHEN && name.charCodeAt(9) === HYPHEN;
}

const HYPHEN = 0x2d;

function isSame(header: string | undefined, argument: unknown): boolean {
  // Only single values can stand in a header; for all others there must be none.
  if (!isSingle(argument)) return header === undefined;
  if (header === undefined || UNSAFE.test(header)) return false;
  const decoded = decodeHeaderValue(header);
  if (typeof argument === 'number') return /^-?\d+(\.\d+)?$/.test(decoded ?? '') && Number(decoded) === argument;
  return decoded === String(argument);
}

function argumentsOf(envelope: Envelope): unknown {
  return envelope.arguments === undefined ? undefined : envelope.valueAt(envelope.arguments);
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return value;
}

/** What is neither does not fit the schema; the server will say so. */
function isSingle(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
