import type { IncomingHttpHeaders } from 'node:http';
import type { Envelope } from '../envelope.ts';
import { decodeHeaderValue, UNSAFE } from '../header-value.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';

/**
 * The headers that repeat what a message says, for those who route by headers. Whoever reads the message has to make sure that
 * they say the same: else one could be routed, or let through, under another name than the one that is called.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */

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
  const revision = envelope.meta?.protocolVersion?.value;
  if (readHeader(headers, 'MCP-Protocol-Version') !== revision) throw mismatch('MCP-Protocol-Version', '_meta');
  if (readHeader(headers, 'Mcp-Method') !== method) throw mismatch('Mcp-Method', 'method');
  const member = NAMED_BY.get(method);
  const name = member === undefined ? undefined : envelope[member]?.value;
  // A message without a name has a flaw of its own, and is told so by who looks for the name.
  if (name === undefined) return;
  if (decodeHeaderValue(readHeader(headers, 'Mcp-Name')) !== name) throw mismatch('Mcp-Name', `params.${member}`);
}

function readHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()] as string | undefined;
  if (value === undefined) throw headerError(`the ${name} header is required`);
  if (UNSAFE.test(value)) throw headerError(`the ${name} header has invalid characters`);
  return value;
}

function mismatch(name: string, member: string): WireError {
  return headerError(`the ${name} header does not match ${member} of the message`);
}

function headerError(message: string): WireError {
  return new WireError(WIRE_CODE.headerMismatch, message);
}
