import { createHash } from 'node:crypto';
import { findMember, findMessageStart } from '../../mcp/json/members.ts';

/**
 * Maximum number of characters of arguments whose members are sorted: longer arguments are compared by their text, because sorting takes many times
 * as long as reading.
 */
const MAX_SORTED = 64 * 1024;

/**
 * The digest of a call's arguments, by which the gateway recognizes the client's next attempt at the same call. A client may write them differently:
 * the order of members, the spelling of strings and space do not matter. Numbers are compared as written.
 * @param json a valid request; missing arguments equal empty ones
 */
export function digestArguments(json: string): string {
  const params = findMember(json, findMessageStart(json), 'params');
  const span = params && findMember(json, params.start, 'arguments');
  const text = span === undefined ? '{}' : json.slice(span.start, span.end);
  const comparableText = text.length > MAX_SORTED ? text : JSON.stringify(JSON.parse(text, toComparable as Reviver));
  return createHash('sha256').update(comparableText).digest('base64url');
}

/** The library's types lack the source text of a number. */
type Reviver = (key: string, value: unknown) => unknown;

/** @see https://tc39.es/proposal-json-parse-with-source/ */
function toComparable(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value === 'number') return `n${source}`;
  if (typeof value === 'string') return `s${value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
