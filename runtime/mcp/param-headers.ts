/**
 * The arguments of tool calls that clients repeat in headers, because the server of the tool requires it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isHeaderValue, type ParamHeader } from '#shared/plan';
import type { Envelope } from './envelope.ts';
import { decodeHeaderValue, encodeHeaderValue, UNSAFE } from './header-value.ts';
import { formatInteger } from './integer.ts';
import { findMember } from './json/members.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/**
 * The `Mcp-Param-…` headers for a call, encoded; names and values alternate. A missing or null argument has no header.
 * @throws WireError -32602 for a number that cannot be a header
 */
export function listMirroredArguments(envelope: Envelope, plan: readonly ParamHeader[]): string[] {
  const values = readArguments(envelope);
  return plan.flatMap(mirrored => {
    const text = formatArgument(getValueAt(values, mirrored.path), envelope, mirrored);
    return text === undefined ? [] : [mirrored.header, encodeHeaderValue(text)];
  });
}

/**
 * Checks that a call's headers equal its arguments.
 * @throws WireError -32020, and -32602 for a number that cannot be a header
 */
export function checkParamHeaders(
  headers: IncomingHttpHeaders,
  envelope: Envelope,
  plan: readonly ParamHeader[],
): void {
  const values = readArguments(envelope);
  for (const mirrored of plan) {
    const { header, path } = mirrored;
    const value = getValueAt(values, path);
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
 * The `Mcp-Param-…` headers of a client's request that the tool does not define as far as the gateway knows. The gateway forwards them, because the
 * backend may know them. Names in lower case and values alternate; undefined if there are none, which is usual. Only the listener's limits on headers
 * apply.
 * @param plan the tool's plan; the gateway builds its headers from the arguments
 * @throws WireError -32020 for a value that is invalid in a header
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-behavior-for-custom-headers
 */
export function findUnknownParamHeaders(
  { rawHeaders, headers }: Pick<IncomingMessage, 'rawHeaders' | 'headers'>,
  plan: readonly ParamHeader[] | undefined,
): readonly string[] | undefined {
  let found: Map<string, string> | undefined;
  // The raw headers, because iterating over a list takes a fraction of the time of iterating over an object's names.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (!mayBeParam(name)) continue;
    const key = name.toLowerCase();
    if (!key.startsWith(PREFIX) || plan?.some(({ header }) => header === key) === true) continue;
    // Node joins repeated headers.
    const value = headers[key] as string;
    if (!isHeaderValue(value)) {
      throw new WireError(WIRE_CODE.headerMismatch, `the ${key} header has invalid characters`);
    }
    found ??= new Map();
    found.set(key, value);
  }
  return found && [...found].flat();
}

/** Whether a header name can begin with `Mcp-Param-`. Checking two hyphens excludes almost every other header. */
function mayBeParam(name: string): boolean {
  return name.length > PREFIX.length && name.charCodeAt(3) === HYPHEN && name.charCodeAt(9) === HYPHEN;
}

const HYPHEN = 0x2d;

/** @param text the argument's text; undefined when there must be no header */
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

function getValueAt(values: unknown, path: readonly string[]): unknown {
  let value = values;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return value;
}

/**
 * An argument as a header value. Undefined for an object or array, which the server will refuse, because it does not match the schema. A number has
 * the same digits as in the message, so that a router reads the same number from the header as the server from the message.
 * @throws WireError -32602
 */
function formatArgument(value: unknown, envelope: Envelope, { header, path }: ParamHeader): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return undefined;
  const text = formatInteger(readSource(envelope, path));
  if (text !== undefined) return text;
  throw new WireError(
    WIRE_CODE.invalidParams,
    `params.arguments.${path.join('.')} goes into the ${header} header, where a number must be whole and from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`,
  );
}

/** The source text of an argument, which must exist. */
function readSource({ text, arguments: values }: Envelope, path: readonly string[]): string {
  let span = values;
  for (const name of path) span = span && findMember(text, span.start, name);
  return span === undefined ? '' : text.slice(span.start, span.end);
}
