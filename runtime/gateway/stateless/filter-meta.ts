import type { RequestMeta } from '../../mcp/envelope.ts';
import { COMMA, OPEN_BRACE, QUOTE, skipSpace } from '../../mcp/json/characters.ts';
import { decodeNameAt } from '../../mcp/json/member-names.ts';
import { skipName, skipValue } from '../../mcp/json/scan-text.ts';
import { META } from '../../mcp/meta-keys.ts';

/** Members of `_meta` that only stateless backends use. */
const STATELESS_META: ReadonlySet<string> = new Set([
  META.protocolVersion,
  META.clientInfo,
  META.clientCapabilities,
  META.logLevel,
]);

/** The beginning of these members as nearly all clients write it. */
const PROTOCOL_VERSION = `"${META.protocolVersion}":`;
const CLIENT_INFO = `"${META.clientInfo}":`;
const CLIENT_CAPABILITIES = `"${META.clientCapabilities}":`;
const LOG_LEVEL = `"${META.logLevel}":`;

/**
 * The members of a request's `_meta` that have a meaning for a backend with sessions, as JSON text in the client's spelling, since numbers may
 * have more digits than JavaScript's.
 */
export function filterMeta(meta: RequestMeta): string {
  const { text, hasMore } = meta;
  if (!hasMore || text.charCodeAt(0) !== OPEN_BRACE) return '{}';
  let filtered = '';
  let at = skipSpace(text, 1);
  while (text.charCodeAt(at) === QUOTE) {
    let end = endOfUsual(meta, at);
    if (end === -1) {
      const value = skipName(text, at);
      end = skipValue(text, value, 1);
      if (!STATELESS_META.has(decodeNameAt(text, at, value)))
        filtered += (filtered === '' ? '' : ',') + text.slice(at, end);
    }
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return `{${filtered}}`;
}

/** The end of an omitted member in its usual form; -1 for any other member. The value of an omitted member is known, and occurs only once. */
function endOfUsual(meta: RequestMeta, at: number): number {
  const { text } = meta;
  if (text.startsWith(PROTOCOL_VERSION, at))
    return endOfString(text, at + PROTOCOL_VERSION.length, meta.protocolVersion);
  if (text.startsWith(CLIENT_INFO, at)) return endOfValue(text, at + CLIENT_INFO.length, meta.clientInfo);
  if (text.startsWith(CLIENT_CAPABILITIES, at)) {
    return endOfValue(text, at + CLIENT_CAPABILITIES.length, meta.clientCapabilities);
  }
  return text.startsWith(LOG_LEVEL, at) ? endOfValue(text, at + LOG_LEVEL.length, meta.logLevel) : -1;
}

/** Finds the end of a value whose JSON text is known. */
function endOfValue(text: string, at: number, value: string | undefined): number {
  return value !== undefined && text.startsWith(value, at) ? at + value.length : -1;
}

/** Finds the end of a string whose decoded text is known; a string with escapes is not found. */
function endOfString(text: string, at: number, value: string | undefined): number {
  if (value === undefined || text.charCodeAt(at) !== QUOTE || !text.startsWith(value, at + 1)) return -1;
  const end = at + 1 + value.length;
  return text.charCodeAt(end) === QUOTE ? end + 1 : -1;
}
