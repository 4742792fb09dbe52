/** Finds members of JSON objects in the text, so that one can be read or replaced while all others stay unchanged. */
import type { Span } from '../envelope.ts';
import { CLOSE_BRACE, COMMA, OPEN_BRACE, skipSpace } from './characters.ts';
import { decodeNameAt } from './member-names.ts';
import { createSyntaxError, skipName, skipValue } from './scan-text.ts';

/** A member of an object; the span covers its value. */
export interface JsonMember extends Span {
  readonly name: string;
}

/**
 * The members of the object that begins at `start`, in order. Each value is scanned when the next member is asked for.
 *
 * @throws WireError for text that is not JSON, or for a value that is not an object
 */
export function* iterateMembers(text: string, start: number): Generator<JsonMember, void, undefined> {
  if (text.charCodeAt(start) !== OPEN_BRACE) throw createSyntaxError(start);
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return;
  for (;;) {
    const value = skipName(text, at);
    const end = skipValue(text, value, 1);
    yield { name: decodeNameAt(text, at, value), start: value, end };
    at = skipSpace(text, end);
    const c = text.charCodeAt(at);
    if (c === CLOSE_BRACE) return;
    if (c !== COMMA) throw createSyntaxError(at);
    at = skipSpace(text, at + 1);
  }
}

/**
 * The value of the member `name` of the object that begins at `start`. If several members have this name, the last one counts, as in most JSON
 * parsers.
 */
export function findMember(text: string, start: number, name: string): Span | undefined {
  let found: Span | undefined;
  for (const member of iterateMembers(text, start)) if (member.name === name) found = member;
  return found;
}

/**
 * The text with the members `entries` (name to JSON text) in the object that begins at `start`. An existing member is replaced; a new one
 * becomes the first.
 */
export function setMembers(text: string, start: number, entries: ReadonlyMap<string, string>): string {
  const missing = new Map(entries);
  let isEmpty = true;
  let rest = '';
  let copied = start + 1;
  for (const member of iterateMembers(text, start)) {
    isEmpty = false;
    const value = entries.get(member.name);
    if (value === undefined) continue;
    missing.delete(member.name);
    rest += text.slice(copied, member.start) + value;
    copied = member.end;
  }
  const added = [...missing].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  const comma = added === '' || isEmpty ? '' : ',';
  return text.slice(0, start + 1) + added + comma + rest + text.slice(copied);
}

/** The text without the members `names` of the object that begins at `start`; the remaining members have no space between them. */
export function removeMembers(text: string, start: number, names: ReadonlySet<string>): string {
  const parts: string[] = [];
  let end = start + 1;
  let from = end;
  for (const member of iterateMembers(text, start)) {
    const { name } = member;
    end = member.end;
    if (!names.has(name)) parts.push(text.slice(from, end).trim());
    from = skipSpace(text, end) + 1; // The position after the comma.
  }
  return `${text.slice(0, start + 1)}${parts.join(',')}${text.slice(skipSpace(text, end))}`;
}

/** The position where the outermost object of a message begins. */
export function findMessageStart(text: string): number {
  return skipSpace(text, 0);
}
