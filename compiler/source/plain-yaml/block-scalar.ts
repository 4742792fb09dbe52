import { type Cursor, NEWLINE, SPACE } from './cursor.ts';

/** Without a number for the indentation, which only texts need that start with spaces. */
const HEADER = /([|>])([-+]?) *(?: #.*)?\n/y;

/**
 * A block scalar, at its `|` or `>`. Leaves the cursor at the start of the line after it. Lines of spaces that are longer
 * than the indentation, and folded lines that are indented more, are left to the full reader.
 *
 * @param parent - The column of the mapping or list that it is in.
 */
export function readBlockScalar(cursor: Cursor, parent: number): string {
  const { text, at: start } = cursor;
  HEADER.lastIndex = start;
  const header = HEADER.exec(text);
  if (header === null) return cursor.refuse();
  const [{ length }, style, chomping] = header;
  const lines: string[] = [];
  let at = start + length;
  let indentation = -1;
  let blanksBefore = 0;
  let longestBlank = 0;
  let end = at;
  let isPastContent = false;
  while (at < text.length) {
    const lineStart = at;
    while (text.charCodeAt(at) === SPACE) at += 1;
    const column = at - lineStart;
    if (at >= text.length || text.charCodeAt(at) === NEWLINE) {
      longestBlank = Math.max(longestBlank, column);
      if (indentation !== -1 && column > indentation) return cursor.refuse();
      blanksBefore += 1;
      at += 1;
      continue;
    }
    if (indentation === -1) indentation = column;
    if (column < indentation || column <= parent) {
      // Text that stands deeper than the parent is a mistake; a comment there is an exception of its own.
      if (column > parent) return cursor.refuse();
      at = lineStart;
      isPastContent = true;
      break;
    }
    if (column > indentation && style === '>') return cursor.refuse();
    for (; blanksBefore > 0; blanksBefore -= 1) lines.push('');
    const next = text.indexOf('\n', at);
    const lineEnd = next === -1 ? text.length : next;
    lines.push(text.slice(lineStart + indentation, lineEnd));
    at = lineEnd + 1;
    end = Math.min(at, text.length);
  }
  const isEmpty = lines.length === 0;
  if (isEmpty || longestBlank > indentation || (chomping === '+' && blanksBefore > 0)) return cursor.refuse();
  cursor.at = isPastContent ? at : text.length;
  cursor.start = start;
  cursor.end = end;
  const content = style === '|' ? lines.join('\n') : folded(lines);
  return chomping === '-' ? content : `${content}\n`;
}

/** Lines joined by spaces; empty lines between them are line breaks. */
export function folded(lines: readonly string[]): string {
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
