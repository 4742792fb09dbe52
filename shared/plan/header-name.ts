/** HTTP header names and values: which are valid, and which may be forwarded. */

/** A valid name of a header (RFC 9110, section 5.1). */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, section 5.5: visible characters, spaces, tabs and, as in Node, bytes above 127. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to one connection, or that state the origin of a request; never set from a spec or forwarded. */
const RESTRICTED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'proxy-authorization',
  'proxy-authenticate',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]);

/** Headers of the protocol between gateway and backend: another value breaks the request, or reveals a client's session. */
const PROTOCOL: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-encoding',
  'content-type',
  'expect',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]);

/** Prefix of headers that carry arguments of tools which ask for it (MCP 2026-07-28). */
const PARAMETER_PREFIX = 'mcp-param-';

/** Headers with the caller's credentials for the gateway; never forwarded to backends. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie']);

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** Whether a value has no line break or other control character, which would end the header or the request. */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

export function isRestrictedHeader(name: string): boolean {
  return RESTRICTED.has(name.toLowerCase());
}

export function isProtocolHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return PROTOCOL.has(lower) || lower.startsWith(PARAMETER_PREFIX);
}

/** Whether a header may carry the gateway's credential to a backend. Some services read only `Proxy-Authorization`. */
export function isCarrierHeader(name: string): boolean {
  if (!isHeaderName(name) || isProtocolHeader(name)) return false;
  return !isRestrictedHeader(name) || name.toLowerCase() === 'proxy-authorization';
}

export function isCredentialHeader(name: string): boolean {
  return CREDENTIALS.has(name.toLowerCase());
}

/** A line break would end the header and start another one. */
export function hasLineBreak(value: string): boolean {
  return /[\r\n]/.test(value);
}
