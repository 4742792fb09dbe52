/** Names and values of HTTP headers: what is one, and which may be handed on. */

/** RFC 9110, section 5.1. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** RFC 9110, section 5.5: visible characters, blanks, tabs and, as Node reads them, bytes above 127. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to one connection or say where a request came from: no sender may set them for another hop. */
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

/** Headers by which the gateway and a backend understand each other: another value breaks the request, or tells of a client's session. */
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

/** Arguments of tools that ask for them as headers (MCP 2026-07-28). */
const PARAMETER_PREFIX = 'mcp-param-';

/** Headers that carry the credentials of the caller to the gateway, which are not for backends. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie']);

export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** A value that ends neither its header nor the request: no line break and no other control character. */
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

/** A header that may carry the gateway's credential; for `Proxy-Authorization` there are services that read nothing else. */
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
