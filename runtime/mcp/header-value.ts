const PREFIX = '=?base64?';
const SUFFIX = '?=';

/**
 * A character that a header field must not have as it is. Node reads bytes beyond ASCII as Latin-1: another reader of the same
 * header could see another value.
 */
export const UNSAFE: RegExp = /[^\t\x20-\x7e]/;

/** What a header field can carry as it is: no spaces at its ends, and nothing that looks encoded. */
const PLAIN = /^(?!=\?base64\?.*\?=$)[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * A value for an `Mcp-Name` or `Mcp-Param-…` header.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string): string {
  return PLAIN.test(value) ? value : PREFIX + Buffer.from(value).toString('base64') + SUFFIX;
}
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * What the value of an `Mcp-Name` or `Mcp-Param-…` header stands for: base64 of UTF-8 between its marks, everything else for
 * itself. Undefined when it stands for nothing: base64 that is not canonical, bytes that are not UTF-8.
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
