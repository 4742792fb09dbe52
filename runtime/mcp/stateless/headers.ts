import type { IncomingHttpHeaders } from 'node:http';
import type { Envelope } from '../envelope.ts';
import { decodeHeaderValue, UNSAFE } from '../header-value.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';

/**
 * The headers that repeat members of a message, for routers that read headers. The reader of the message must check that they are equal:
 * otherwise a request could be routed, or permitted, under another name than the one that it calls.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */

/** A header's name in its usual form, and in Node's. */
interface HeaderName {
  readonly displayName: string;
  readonly key: string;
}

const createHeaderName = (displayName: string): HeaderName => ({ displayName, key: displayName.toLowerCase() });
const REVISION = createHeaderName('MCP-Protocol-Version');
const METHOD = createHeaderName('Mcp-Method');
const NAME = createHeaderName('Mcp-Name');

/** The member of `params` that `Mcp-Name` repeats. */
const NAMED_BY: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/**
 * Checks the headers of a request whose `_meta` is complete.
 * @throws WireError -32020
 */
export function checkHeaders(headers: IncomingHttpHeaders, envelope: Envelope): void {
  const { method } = envelope;
  const revision = envelope.meta?.content.protocolVersion;
  if (readHeader(headers, REVISION) !== revision) throw createMismatch(REVISION, '_meta');
  if (readHeader(headers, METHOD) !== method) throw createMismatch(METHOD, 'method');
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : envelope[member]?.value;
  // A message without a name is invalid: the reader of the name answers that.
  if (name === undefined) return;
  if (decodeHeaderValue(readHeader(headers, NAME)) !== name) throw createMismatch(NAME, `params.${member}`);
}

/**
 * Does the same as `checkHeaders` for the headers of a notification. The revision requires `Mcp-Method` for notifications, too, but clients of the
 * official SDK omit it, and no notification has an effect that another name could permit.
 * @throws WireError -32020
 */
export function checkNotificationHeaders(headers: IncomingHttpHeaders, { method, meta }: Envelope): void {
  const isPresent = ({ key }: HeaderName): boolean => headers[key] !== undefined;
  const revision = meta?.content.protocolVersion;
  if (revision !== undefined && isPresent(REVISION) && readHeader(headers, REVISION) !== revision) {
    throw createMismatch(REVISION, '_meta');
  }
  if (isPresent(METHOD) && readHeader(headers, METHOD) !== method) throw createMismatch(METHOD, 'method');
}

function readHeader(headers: IncomingHttpHeaders, { displayName, key }: HeaderName): string {
  const value = headers[key] as string | undefined;
  if (value === undefined) throw createHeaderError(`the ${displayName} header is required`);
  if (UNSAFE.test(value)) throw createHeaderError(`the ${displayName} header has invalid characters`);
  return value;
}

function createMismatch({ displayName }: HeaderName, member: string): WireError {
  return createHeaderError(`the ${displayName} header does not match ${member} of the message`);
}

function createHeaderError(message: string): WireError {
  return new WireError(WIRE_CODE.headerMismatch, message);
}
