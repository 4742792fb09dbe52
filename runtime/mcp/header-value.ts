const PREFIX = '=?base64?';
const SUFFIX = '?=';

/** What a header field can carry as it is: no spaces at its ends, and nothing that looks encoded. */
const PLAIN = /^(?!=\?base64\?.*\?=$)[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * A value for an `Mcp-Name` or `Mcp-Param-…` header.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string): string {
  return PLAIN.test(value) ? value : PREFIX + Buffer.from(value).toString('base64') + SUFFIX;
}
