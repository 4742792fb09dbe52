import { setOwnMember } from '../own-member.ts';
import { foldLines, readBlockScalar } from './block-scalar.ts';
import { BAR, COLON, type Cursor, GREATER, HASH, isBlank, isDash, NEWLINE, OPEN_LIST, OPEN_MAPPING } from './cursor.ts';
import { readFlow } from './flow.ts';
import { isQuote, readPlainKey, readPlainValue, readQuoted, scanPlain, startsPlain } from './scalars.ts';

/** Longer keys are an error unless they are marked with "?". */
const MAX_KEY = 1000;

/** A block list or mapping, at its first character. Leaves the cursor at the following content. */
export function readBlock(cursor: Cursor, column: number): unknown {
  cursor.enter();
  const start = cursor.at;
  const value = isDash(cursor) ? readList(cursor, column) : readMapping(cursor, column);
  // The following content belongs to an outer collection, or is an error if it is indented more.
  if (cursor.column > column) cursor.refuse();
  cursor.start = start;
  cursor.leave();
  return value;
}

function readMapping(cursor: Cursor, column: number): Record<string, unknown> {
  const mapping: Record<string, unknown> = {};
  do {
    const keyStart = cursor.at;
    const name = readKey(cursor) ?? cursor.refuse();
    const entry = cursor.places.open(keyStart, cursor.at - 1);
    if (Object.hasOwn(mapping, name)) cursor.refuse();
    setOwnMember(mapping, name, readMember(cursor, column));
    cursor.places.close(entry, cursor.start, cursor.end);
  } while (cursor.column === column && !isDash(cursor));
  return mapping;
}

function readList(cursor: Cursor, column: number): unknown[] {
  const list: unknown[] = [];
  do {
    const entry = cursor.places.open();
    list.push(readItem(cursor, column));
    cursor.places.close(entry, cursor.start, cursor.end);
  } while (cursor.column === column && isDash(cursor));
  // The copy has no spare capacity: it stays in memory as long as its document.
  return list.slice();
}

/** A key on one line, or `undefined` when there is none. Leaves the cursor after its colon. */
function readKey(cursor: Cursor): string | undefined {
  const { text, at: start, code } = cursor;
  const isQuoted = isQuote(code);
  if (!isQuoted && !startsPlain(cursor)) return undefined;
  let name: string;
  if (isQuoted) {
    name = readQuoted(cursor);
  } else {
    const end = scanPlain(cursor);
    name = text.slice(start, end);
    if (cursor.at !== end || name === '<<') return undefined;
  }
  const isKey = cursor.code === COLON && isBlank(text.charCodeAt(cursor.at + 1));
  if (!isKey || cursor.at - start > MAX_KEY) return undefined;
  cursor.at += 1;
  return isQuoted ? name : readPlainKey(cursor, name);
}

/** The value of a key, after its colon. */
function readMember(cursor: Cursor, column: number): unknown {
  if (!cursor.isAtLineEnd()) return readOnLine(cursor, column);
  const { at } = cursor;
  cursor.skipToContent();
  // Items of a list may have the same indentation as the list's key.
  if (cursor.column > column || (cursor.column === column && isDash(cursor))) return readBlock(cursor, cursor.column);
  return readNothing(cursor, at);
}

/** The item of a list. The cursor is at its dash. */
function readItem(cursor: Cursor, column: number): unknown {
  const dash = cursor.at;
  cursor.at += 1;
  const isEmptyLine = cursor.isAtLineEnd();
  const { at } = cursor;
  if (isEmptyLine) {
    cursor.skipToContent();
    return cursor.column > column ? readBlock(cursor, cursor.column) : readNothing(cursor, at);
  }
  const inner = column + at - dash;
  if (isDash(cursor)) return readBlock(cursor, inner);
  const isMapping = readKey(cursor) !== undefined;
  cursor.at = at;
  return isMapping ? readBlock(cursor, inner) : readOnLine(cursor, column);
}

/** An empty value, located before the line break or comment. */
function readNothing(cursor: Cursor, at: number): null {
  cursor.start = at;
  cursor.end = at;
  return null;
}

/** A value on the line of its key or dash, whose `column` is given. */
function readOnLine(cursor: Cursor, column: number): unknown {
  const { code } = cursor;
  if (code === BAR || code === GREATER) {
    const value = readBlockScalar(cursor, column);
    cursor.findContent();
    return value;
  }
  if (isQuote(code)) return finishValue(cursor, readQuoted(cursor));
  if (code === OPEN_LIST || code === OPEN_MAPPING) return finishValue(cursor, readFlow(cursor, column));
  return readPlain(cursor, column);
}

function finishValue<T>(cursor: Cursor, value: T): T {
  cursor.finishLine();
  return value;
}

/** A plain scalar; further lines must be indented more than its parent. */
function readPlain(cursor: Cursor, column: number): unknown {
  if (!startsPlain(cursor)) return cursor.refuse();
  const { text, at: start } = cursor;
  const end = scanPlain(cursor);
  if (cursor.code === COLON) return cursor.refuse();
  cursor.start = start;
  cursor.end = end;
  const hasComment = cursor.code === HASH;
  cursor.skipToContent();
  const first = text.slice(start, end);
  if (cursor.column <= column) return readPlainValue(cursor, first);
  return hasComment ? cursor.refuse() : readFurtherLines(cursor, column, first);
}

/** The remaining lines of a multi-line plain scalar, which is always a string. */
function readFurtherLines(cursor: Cursor, column: number, first: string): string {
  const { text } = cursor;
  const lines = [first];
  while (cursor.column > column) {
    const gap = text.slice(cursor.end, cursor.at);
    // A comment between the lines ends the scalar, so the next line is an error.
    if (gap.includes('#')) return cursor.refuse();
    const breaks = gap.split('\n').length - 1;
    for (let blank = 1; blank < breaks; blank += 1) lines.push('');
    const start = cursor.at;
    const end = scanPlain(cursor);
    if (cursor.code !== NEWLINE && cursor.at < text.length) return cursor.refuse();
    lines.push(text.slice(start, end));
    cursor.end = end;
    cursor.skipToContent();
  }
  return foldLines(lines);
}
