import { setOwnMember } from '../own-member.ts';
import {
  CLOSE_LIST,
  CLOSE_MAPPING,
  COLON,
  COMMA,
  type Cursor,
  HASH,
  isBlank,
  NEWLINE,
  OPEN_LIST,
  OPEN_MAPPING,
  SPACE,
} from './cursor.ts';
import { isQuote, readPlainKey, readPlainValue, readQuoted, startsPlain } from './scalars.ts';

/**
 * A flow list or mapping, at its bracket. Leaves the cursor after the closing bracket.
 *
 * @param parent - The column of the block collection that it is in: its further lines stand deeper.
 */
export function readFlow(cursor: Cursor, parent: number): unknown {
  cursor.enter();
  const start = cursor.at;
  const value = cursor.code === OPEN_LIST ? readList(cursor, parent) : readMapping(cursor, parent);
  cursor.start = start;
  cursor.end = cursor.at;
  cursor.leave();
  return value;
}

function readList(cursor: Cursor, parent: number): unknown[] {
  const list: unknown[] = [];
  while (!isClosed(cursor, parent, CLOSE_LIST, list.length > 0)) {
    const entry = cursor.places.open();
    list.push(readValue(cursor, parent));
    cursor.places.close(entry, cursor.start, cursor.end);
  }
  // The copy has no spare capacity: it stays in memory as long as its document.
  return list.slice();
}

function readMapping(cursor: Cursor, parent: number): Record<string, unknown> {
  const mapping: Record<string, unknown> = {};
  let isFirst = true;
  while (!isClosed(cursor, parent, CLOSE_MAPPING, !isFirst)) {
    isFirst = false;
    const name = isQuote(cursor.code) ? readQuoted(cursor) : readPlainKey(cursor, readPlain(cursor));
    const entry = cursor.places.open(cursor.start, cursor.end);
    const hasValue =
      cursor.at === cursor.end && cursor.code === COLON && isBlank(cursor.text.charCodeAt(cursor.at + 1));
    if (!hasValue || Object.hasOwn(mapping, name) || name === '<<') cursor.refuse();
    cursor.at += 1;
    skipBreaks(cursor, parent);
    setOwnMember(mapping, name, readValue(cursor, parent));
    cursor.places.close(entry, cursor.start, cursor.end);
  }
  return mapping;
}

/** Skips a required comma to the next entry, or the closing bracket. */
function isClosed(cursor: Cursor, parent: number, bracket: number, needsComma: boolean): boolean {
  if (!needsComma) cursor.at += 1;
  skipBreaks(cursor, parent);
  if (needsComma && cursor.code === COMMA) {
    cursor.at += 1;
    skipBreaks(cursor, parent);
  } else if (needsComma && cursor.code !== bracket) cursor.refuse();
  if (cursor.code !== bracket) return false;
  cursor.at += 1;
  return true;
}

function readValue(cursor: Cursor, parent: number): unknown {
  const { code } = cursor;
  if (code === OPEN_LIST || code === OPEN_MAPPING) return readFlow(cursor, parent);
  if (isQuote(code)) return readQuoted(cursor);
  return readPlainValue(cursor, readPlain(cursor));
}

/** A plain scalar on one line. Leaves the cursor after it and its trailing spaces. */
function readPlain(cursor: Cursor): string {
  if (!startsPlain(cursor)) return cursor.refuse();
  const { text, at: start } = cursor;
  let at = start;
  let end = start;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE || isFlowIndicator(code)) break;
    if (code === SPACE) continue;
    if (code === COLON) {
      const next = text.charCodeAt(at + 1);
      if (isBlank(next) || isFlowIndicator(next)) break;
    }
    if (code === HASH && at > end) return cursor.refuse();
    end = at + 1;
  }
  if (end === start + 1 && text[start] === '-') return cursor.refuse();
  cursor.start = start;
  cursor.end = end;
  cursor.at = at;
  return text.slice(start, end);
}

/** Skips spaces and line breaks. The full reader handles comments and lines with too little indentation. */
function skipBreaks(cursor: Cursor, parent: number): void {
  cursor.skipSpaces();
  if (cursor.code !== NEWLINE) return;
  let lineStart = cursor.at;
  while (cursor.code === NEWLINE) {
    lineStart = cursor.at + 1;
    cursor.at = lineStart;
    cursor.skipSpaces();
  }
  if (cursor.at - lineStart <= parent) cursor.refuse();
}

function isFlowIndicator(code: number): boolean {
  return code === COMMA || code === OPEN_LIST || code === CLOSE_LIST || code === OPEN_MAPPING || code === CLOSE_MAPPING;
}
