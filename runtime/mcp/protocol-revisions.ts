import type { IncomingHttpHeaders } from 'node:http';
import type { Envelope } from './envelope.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** The MCP revisions with sessions that the gateway supports for clients, newest first. */
export const SESSION_REVISIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

/** The stateless revision: every request contains the data that a session would store. */
export const STATELESS_REVISION = '2026-07-28';

/** The revisions over the older HTTP+SSE transport: all revisions with sessions, including 2024-11-05, which has no Streamable HTTP. */
export const SSE_REVISIONS: readonly string[] = [...SESSION_REVISIONS, '2024-11-05'];
/** All revisions that the gateway supports for clients, newest first. */
export const SUPPORTED_REVISIONS: readonly string[] = [STATELESS_REVISION, ...SESSION_REVISIONS];

/**
 * How to interpret a request. The specification calls the stateless era modern and the one with sessions legacy.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export type Era = 'session' | 'stateless';

/** Methods that no revision with sessions has. If a request has no `MCP-Protocol-Version` header, only these methods show that it is stateless. */
const STATELESS_METHODS: ReadonlySet<string> = new Set(['server/discover', 'subscriptions/listen']);

/**
 * The revision of a new session: the client's, if the gateway supports it, otherwise the gateway's newest.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function negotiate(requested: string, spoken: readonly string[] = SESSION_REVISIONS): string {
  return spoken.includes(requested) ? requested : (spoken[0] as string);
}

/**
 * Determines the era of a request by the `MCP-Protocol-Version` header and the message's `_meta`. If the two contradict each other, the request counts
 * as stateless, and gets the error of that revision. In a session `_meta` has no meaning for the gateway.
 * @param envelope the message; undefined for GET and DELETE
 * @throws WireError -32022 with HTTP 400 and `data: {supported, requested}` for a revision that is not served
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function classify(headers: IncomingHttpHeaders, envelope: Envelope | undefined): Era {
  const header = headers['mcp-protocol-version'] as string | undefined;
  const declared = envelope?.meta?.content.protocolVersion;
  // The request opens a session, whose revision is still to be negotiated: some clients send their newest one even if the gateway does not
  // support it.
  if (envelope?.method === 'initialize' && declared === undefined) return 'session';
  if (header === STATELESS_REVISION) return 'stateless';
  if (header === undefined || SESSION_REVISIONS.includes(header)) {
    if (headers['mcp-session-id'] !== undefined) return 'session';
    if (declared !== undefined) return SESSION_REVISIONS.includes(declared) ? 'session' : 'stateless';
    // Without the header, a server must assume an older revision if the message permits one.
    return header === undefined && STATELESS_METHODS.has(envelope?.method ?? '') ? 'stateless' : 'session';
  }
  if (declared !== undefined && declared !== header) return 'stateless';
  throw createUnsupportedRevision(header, SUPPORTED_REVISIONS).withId(envelope?.id);
}

/** The error for an unsupported revision. */
export function createUnsupportedRevision(requested: unknown, supported: readonly string[]): WireError {
  return new WireError(WIRE_CODE.unsupportedRevision, 'this MCP protocol revision is not supported', {
    data: { supported, requested },
  });
}
