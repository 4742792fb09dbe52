import { type Cursor, NEWLINE } from './cursor.ts';

/** The header of a block scalar without an indentation number, which only texts with leading spaces need. */
const HEADER = /([|>])([-+]?) *(?: #.*)?\n/y;

/**
 * A block scalar, at its `|` or `>`. Leaves the cursor at the start of the line after it. The full reader handles blank lines longer than the
 * indentation, and folded lines with more indentation.
 *
 * @param parent - The column of the mapping or list that it is in.
 */
export function readBlockScalar(cursor: Cursor, parent: number): string {
  const { text, at: start } = cursor;
  HEADER.lastIndex = start;
  const [header, style, chomping] = HEADER.exec(text) ?? cursor.refuse();
  cursor.at = start + header.length;
  const indentation = detectIndentation(cursor);
  if (indentation <= parent) cursor.refuse();
  const lines: string[] = [];
  let blanks = 0;
  let end = cursor.at;
  while (cursor.at < text.length) {
    const lineStart = cursor.at;
    cursor.skipSpaces();
    const column = cursor.at - lineStart;
    const isBlank = cursor.code === NEWLINE || cursor.at >= text.length;
    if (column > indentation && (isBlank || style === '>')) cursor.refuse();
    if (isBlank) {
      blanks += 1;
    } else if (column < indentation) {
      // Text with deeper indentation than the parent is an error, but a comment there is allowed.
      if (column > parent) cursor.refuse();
      cursor.at = lineStart;
      break;
    } else {
      for (; blanks > 0; blanks -= 1) lines.push('');
      lines.push(text.slice(lineStart + indentation, cursor.lineEnd));
    }
    cursor.skipLine();
    if (!isBlank) end = cursor.at;
  }
  if (chomping === '+' && blanks > 0) cursor.refuse();
  cursor.start = start;
  cursor.end = end;
  const content = style === '|' ? lines.join('\n') : foldLines(lines);
  return chomping === '-' ? content : `${content}\n`;
}

/** The column of the first non-blank line. Does not move the cursor. */
function detectIndentation(cursor: Cursor): number {
  const { text, at } = cursor;
  let lineStart = at;
  cursor.skipSpaces();
  while (cursor.code === NEWLINE) {
    lineStart = cursor.at + 1;
    cursor.at = lineStart;
    cursor.skipSpaces();
  }
  const column = cursor.at - lineStart;
  const isEmpty = cursor.at >= text.length;
  cursor.at = at;
  return isEmpty ? cursor.refuse() : column;
}

/** Joins lines by spaces; empty lines become line breaks. */
export function foldLines(lines: readonly string[]): string {
  let value = '';
  let separator = '';
  for (const line of lines) {
    if (line === '') {
      value += '\n';
      separator = '';
    } else {
      value += separator + line;
      separator = ' ';
    }
  }
  return value;
}
