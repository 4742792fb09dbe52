import { createHash } from 'node:crypto';
import { findMember, messageStart } from '../../mcp/json-members.ts';

/** Longer arguments are told apart by their text alone: sorting takes many times as long as reading. Characters. */
const MAX_SORTED = 64 * 1024;

/**
 * By what a later attempt at a call is known to have the arguments of the first one. A client may write them again: neither
 * the order of members counts, nor spelling of strings or space. Numbers count as they are written, however long.
 *
 * @param json a whole request, sound; without arguments it is as if they were empty
 */
export function argumentsDigest(json: string): string {
  const params = findMember(json, messageStart(json), 'params');
  const span = params && findMember(json, params.start, 'arguments');
  const text = span === undefined ? '{}' : json.slice(span.start, span.end);
  const comparableText = text.length > MAX_SORTED ? text : JSON.stringify(JSON.parse(text, comparable as Reviver));
  return createHash('sha256').update(comparableText).digest('base64url');
}

/** What tells of a number as it is written is not in the types of the library yet. */
type Reviver = (key: string, value: unknown) => unknown;

/** @see https://tc39.es/proposal-json-parse-with-source/ */
function comparable(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value === 'number') return `n${source}`;
  if (typeof value === 'string') return `s${value}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
