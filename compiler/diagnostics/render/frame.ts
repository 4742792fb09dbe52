import type { Range } from '../diagnostic.ts';
import { countColumns, escapeUnprintableCode } from './printable.ts';

/** A line of a file without its line break, and the UTF-16 offset at which it starts. */
export type SourceLine = { readonly text: string; readonly offset: number };

/** Returns the 1-based line of a file; `undefined` when there is none or it must not be shown. */
export type LineSource = (file: string, line: number) => SourceLine | undefined;

/** One row of a frame. A row with a `number` shows a line of code; any other row shows the carets below that line. */
export type FrameRow = { readonly number?: number; readonly code?: string; readonly carets?: string };

const TAB_COLUMNS = 4;
/** Code units kept on each side of a range's start; longer lines are truncated first, for speed. */
const REACH = 1000;
/** Maximum columns of code shown before the carets in a line that is too wide; a third of that in narrow terminals. */
const LEAD = 30;
const CUT = '...';

/**
 * The lines of a range with carets under it. Of a longer range only the first and the last line are shown. Tabs are
 * expanded, and of a line wider than `columns` the part around the carets is shown.
 */
export function listFrameRows(file: string, range: Range, getLine: LineSource, columns: number): readonly FrameRow[] {
  const first = range.start.line;
  const last = range.end.column === 1 && range.end.line > first ? range.end.line - 1 : range.end.line;
  const rows = listCodeRows(first, getLine(file, first), range, columns, false);
  if (rows.length === 0 || last === first) return rows;
  const gap = last - first > 1 ? [{ code: CUT }] : [];
  return [...rows, ...gap, ...listCodeRows(last, getLine(file, last), range, columns, true)];
}

/** A line with its carets; if `continued`, they start at the first character that is not a space. */
function listCodeRows(
  number: number,
  line: SourceLine | undefined,
  range: Range,
  columns: number,
  continued: boolean,
): readonly FrameRow[] {
  if (!line) return [];
  const { text } = line;
  const from = continued ? text.length - text.trimStart().length : range.start.offset - line.offset;
  const to = Math.min(range.end.offset - line.offset, text.length);
  const cutStart = Math.max(0, from - REACH);
  const cutEnd = from + REACH;
  const before = splitIntoCells(text.slice(cutStart, from), 0);
  const marked = splitIntoCells(text.slice(from, Math.min(to, cutEnd)), before.length);
  const after = splitIntoCells(text.slice(Math.max(from, to), cutEnd), before.length + marked.length);
  const all = [...before, ...marked, ...after];
  return [{ number, ...cutWindow(all, before.length, Math.max(1, marked.length), cutStart > 0, columns) }];
}

/** The part of a line that fits, with its carets. */
function cutWindow(
  all: readonly string[],
  start: number,
  length: number,
  isCut: boolean,
  columns: number,
): { code: string; carets: string } {
  if (!isCut && all.length <= columns)
    return { code: all.join('').trimEnd(), carets: ' '.repeat(start) + '^'.repeat(length) };
  const fits = !isCut && start + length <= columns - CUT.length;
  const lead = Math.min(LEAD, Math.floor(columns / 3));
  const remaining = fits ? 0 : Math.max(0, Math.min(start - lead, all.length - columns + CUT.length));
  const prefix = isCut || remaining > 0 ? CUT : '';
  const room = columns - prefix.length;
  const suffix = all.length - remaining > room ? CUT : '';
  const shown = all.slice(remaining, remaining + room - suffix.length);
  const indent = prefix.length + start - remaining;
  return {
    code: `${prefix}${shown.join('')}${suffix}`.trimEnd(),
    carets: ' '.repeat(indent) + '^'.repeat(Math.max(1, Math.min(length, columns - suffix.length - indent))),
  };
}

/** One entry per terminal column: a wide character takes two, and a combining character joins the previous entry. */
function splitIntoCells(text: string, column: number): readonly string[] {
  const result: string[] = [];
  for (const char of text) {
    if (char === '\t') {
      const width = TAB_COLUMNS - ((column + result.length) % TAB_COLUMNS);
      for (let i = 0; i < width; i += 1) result.push(' ');
      continue;
    }
    const shown = escapeUnprintableCode(char);
    const width = countColumns(shown);
    if (width === 0 && result.length > 0) result[result.length - 1] += shown;
    else result.push(shown, ...(width === 2 ? [''] : []));
  }
  return result;
}
