const PREFIX = '=?base64?';
const SUFFIX = '?=';

/**
 * Matches a character that must be encoded in a header field. Node decodes bytes beyond ASCII as Latin-1, and other programs may decode them
 * differently.
 */
export const UNSAFE: RegExp = /[^\t\x20-\x7e]/;

/** A value that a header field can contain unchanged: without spaces at its ends, and without the form of an encoded value. */
const PLAIN = /^(?!=\?base64\?.*\?=$)[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Encodes a value for an `Mcp-Name` or `Mcp-Param-…` header.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string): string {
  return PLAIN.test(value) ? value : PREFIX + Buffer.from(value).toString('base64') + SUFFIX;
}
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes the value of an `Mcp-Name` or `Mcp-Param-…` header: base64 of UTF-8 between its marks; other values stand for themselves. Undefined
 * for an invalid value: base64 that is not canonical, bytes that are not UTF-8.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function decodeHeaderValue(value: string): string | undefined {
  const isEncoded = value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  if (!isEncoded) return value;
  const base64 = value.slice(PREFIX.length, -SUFFIX.length);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
