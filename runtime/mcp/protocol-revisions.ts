import type { IncomingHttpHeaders } from 'node:http';
import type { Envelope } from './envelope.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The MCP revisions that keep sessions and that we speak towards clients, newest first. */
export const SESSION_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The stateless revision: every request says by itself what a session would know. */
export const STATELESS_REVISION = '2026-07-28';

/** What we speak over the older HTTP+SSE pair: all that keeps sessions, and the revision that had nothing else. */
export const SSE_REVISIONS: readonly string[] = [...SESSION_REVISIONS, '2024-11-05'];
/** All that we speak towards clients, newest first. */
export const SUPPORTED_REVISIONS: readonly string[] = [STATELESS_REVISION, ...SESSION_REVISIONS];

/**
 * How a request is to be understood. The specification calls the stateless era modern and the one in sessions legacy.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export type Era = 'session' | 'stateless';

/** Methods that no revision with sessions has: without a header, nothing else may tell the era. */
const STATELESS_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/**
 * The revision of a new session: what the client asked for when we speak it, else our newest.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function negotiate(requested: string, spoken: readonly string[] = SESSION_REVISIONS): string {
  return spoken.includes(requested) ? requested : (spoken[0] as string);
}

/**
 * Tells which era a request belongs to, from the `MCP-Protocol-Version` header and what the message declares in `_meta`. When
 * the two contradict each other, the stateless era has the error for that. In a session `_meta` is nothing to us.
 * @param envelope The message; undefined for GET and DELETE.
 * @throws WireError -32022 with HTTP 400 and `data: {supported, requested}` for a revision that is not served.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function classify(headers: IncomingHttpHeaders, envelope: Envelope | undefined): Era {
  const header = headers['mcp-protocol-version'] as string | undefined;
  const declared = envelope?.meta?.says.protocolVersion;
  // It opens a session, and the revision of that is still to be negotiated: some clients send their newest, whether we speak it or not.
  if (envelope?.method === 'initialize' && declared === undefined) return 'session';
  if (header === STATELESS_REVISION) return 'stateless';
  if (header === undefined || SESSION_REVISIONS.includes(header)) {
    if (headers['mcp-session-id'] !== undefined) return 'session';
    if (declared !== undefined) return SESSION_REVISIONS.includes(declared) ? 'session' : 'stateless';
    // A server without the header must assume an older revision, where it can be one.
    return header === undefined && STATELESS_METHODS.has(envelope?.method ?? '') ? 'stateless' : 'session';
  }
  if (declared !== undefined && declared !== header) return 'stateless';
  throw unsupportedRevision(header, SUPPORTED_REVISIONS).withId(envelope?.id);
}

/** The error for a revision that is not spoken here. */
export function unsupportedRevision(requested: unknown, supported: readonly string[]): WireError {
  return new WireError(WIRE_CODE.unsupportedRevision, 'this MCP protocol revision is not supported', {
    data: { supported, requested },
  });
}
