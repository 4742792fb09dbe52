/**
 * Values of the message in headers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */

const PREFIX = '=?base64?';
const SUFFIX = '?=';

/** A value as it stands in `Mcp-Name` or `Mcp-Param-…`: as it is when a header can carry it, else encoded. */
export function encodeHeaderValue(value: string): string {
  const looksEncoded = value.startsWith(PREFIX) && value.endsWith(SUFFIX);
  if (isPlain(value) && !looksEncoded) return value;
  return PREFIX + Buffer.from(value, 'utf8').toString('base64') + SUFFIX;
}

/** Visible ASCII with spaces inside only: whitespace at either end would not survive the way. */
function isPlain(value: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}
