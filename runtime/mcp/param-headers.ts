/**
 * Arguments of a tool that its server wants to see as headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isHeaderValue, type ParamHeader } from '#schemas';
import type { Envelope } from './envelope.ts';
import { decodeHeaderValue, encodeHeaderValue, UNSAFE } from './header-value.ts';
import { formatInteger } from './integer.ts';
import { findMember } from './json-members.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/**
 * The headers that go with a call, encoded; names and values alternate. An argument that is missing or null has none.
 * @throws WireError -32602 for a number that no header may have
 */
export function mirroredArguments(envelope: Envelope, plan: readonly ParamHeader[]): string[] {
  const values = readArguments(envelope);
  return plan.flatMap(mirrored => {
    const text = formatArgument(valueAt(values, mirrored.path), envelope, mirrored);
    return text === undefined ? [] : [mirrored.header, encodeHeaderValue(text)];
  });
}

/**
 * Checks that the headers of a call say what its arguments say.
 * @throws WireError -32020, and -32602 for a number that no header may have
 */
export function checkParamHeaders(
  headers: IncomingHttpHeaders,
  envelope: Envelope,
  plan: readonly ParamHeader[],
): void {
  const values = readArguments(envelope);
  for (const mirrored of plan) {
    const { header, path } = mirrored;
    const value = valueAt(values, path);
    const text = formatArgument(value, envelope, mirrored);
    if (isSame(headers[header] as string | undefined, text, typeof value === 'number')) continue;
    throw new WireError(
      WIRE_CODE.headerMismatch,
      `the ${header} header does not match params.arguments.${path.join('.')} of the message`,
    );
  }
}

const PREFIX = 'mcp-param-';

/**
 * The `Mcp-Param-…` headers of a client's request that its tool is not known to ask for: the backend may know them,
 * so they are handed on. Names in lower case and values alternate; undefined when there are none, as is usual. There are as many
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

/** @param text of the argument; undefined when there must be no header */
function isSame(header: string | undefined, text: string | undefined, isNumber: boolean): boolean {
  if (header === undefined || text === undefined) return header === text;
  if (UNSAFE.test(header)) return false;
  const decoded = decodeHeaderValue(header);
  if (isNumber) return DECIMAL.test(decoded ?? '') && formatInteger(decoded as string) === text;
  return decoded === text;
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

function readArguments(envelope: Envelope): unknown {
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

/**
 * What a header says of an argument. Undefined for what is no single value: it does not fit the schema, and the server will say so.
 * A number is read from the message, whose digits the server gets: who routes by the header must not read another one.
 *
 * @throws WireError -32602
 */
function formatArgument(value: unknown, envelope: Envelope, { header, path }: ParamHeader): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  const text = formatInteger(sourceAt(envelope, path));
  if (text !== undefined) return text;
  throw new WireError(
    WIRE_CODE.invalidParams,
    `params.arguments.${path.join('.')} goes into the ${header} header, where a number must be whole and from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  );
}

/** An argument as it is written; there must be one. */
function sourceAt({ text, arguments: values }: Envelope, path: readonly string[]): string {
  let span = values;
  for (const name of path) span = span && findMember(text, span.start, name);
  return span === undefined ? '' : text.slice(span.start, span.end);
}
