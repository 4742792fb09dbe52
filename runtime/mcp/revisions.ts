import type { IncomingHttpHeaders } from 'node:http';
import type { Envelope } from './envelope.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The MCP revisions that keep sessions and that we speak towards clients, newest first. */
export const SESSION_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The stateless revision: known, so that it is refused by name and clients fall back. It gets an era of its own later. */
export const STATELESS_REVISION = '2026-07-28';

/** What we speak over the older HTTP+SSE pair: all that keeps sessions, and the revision that had nothing else. */
export const SSE_REVISIONS: readonly string[] = [...SESSION_REVISIONS, '2024-11-05'];

/** How a request is to be understood. */
export type Era = 'session';

/**
 * The revision of a new session: what the client asked for when we speak it, else our newest.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function negotiate(requested: string, spoken: readonly string[] = SESSION_REVISIONS): string {
  return spoken.includes(requested) ? requested : (spoken[0] as string);
}

/**
 * Tells which era a request belongs to, from the `MCP-Protocol-Version` header and, without one, from its method.
 * @throws WireError -32022 with HTTP 400 and `data: {supported, requested}` for a revision that is not served.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#protocol-version-header
 */
export function classify(headers: IncomingHttpHeaders, envelope: Envelope | undefined): Era {
  const header = headers['mcp-protocol-version'];
  // A server without the header must assume an older revision; `server/discover` exists in the stateless one only.
  const isDiscovery = envelope?.method === 'server/discover' && headers['mcp-session-id'] === undefined;
  const requested = header === undefined && isDiscovery ? STATELESS_REVISION : header;
  if (requested === undefined || (typeof requested === 'string' && SESSION_REVISIONS.includes(requested))) {
    return 'session';
  }
  throw unsupportedRevision(requested, SESSION_REVISIONS).withId(envelope?.id);
}

/** The error for a revision that is not spoken here. */
export function unsupportedRevision(requested: unknown, supported: readonly string[]): WireError {
  return new WireError(WIRE_CODE.unsupportedRevision, 'this MCP protocol revision is not supported', {
    data: { supported, requested },
  });
}
