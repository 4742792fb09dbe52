/** Aligned columns for a terminal. */
import { countColumns } from '../../../diagnostics/render/printable.ts';

export interface TableCell {
  readonly text: string;
  /** Colors a text without changing its width. */
  readonly paint: (text: string) => string;
}

export interface TableColumn {
  readonly head: TableCell;
  readonly align: 'left' | 'right';
}

const GAP = '  ';
const INDENT = '    ';
/** Minimum width of the last column for wrapping its text. */
const LEAST_LAST = 24;

/**
 * A line for each row, and the head above. Columns without any text are left out.
 *
 * With a width, the text of the last column is broken at spaces; if almost no width is left for it, the text stands below its row. If the
 * other columns alone are wider than the width, each cell gets lines of its own, unless the number of lines matters. Without a width, every
 * row is one line, so that programs can search it.
 */
export function renderTable(
  columns: readonly TableColumn[],
  rows: readonly (readonly TableCell[])[],
  width: number | undefined,
  isStackable = true,
): readonly string[] {
  const used = columns.map((_, at) => at).filter(at => rows.some(row => row[at]?.text !== ''));
  const all = [columns.map(({ head }) => head), ...rows].map(row => used.map(at => row[at] ?? EMPTY));
  const widths = used.map((_, at) => Math.max(...all.map(row => measureWidth(row[at]?.text ?? ''))));
  const before = widths.slice(0, -1).reduce((sum, columns) => sum + columns + GAP.length, 0);
  if (isStackable && width !== undefined && before > width) {
    const [heads = [], ...cells] = all;
    return renderStacked(heads, cells, width);
  }
  const room = width === undefined ? Number.POSITIVE_INFINITY : Math.max(LEAST_LAST, width - before);
  const isNarrow = width !== undefined && before <= width && width - before < LEAST_LAST;
  // A long word, such as a URL, does not fit into the remaining width either.
  const isBelow = (text: string) =>
    before <= (width ?? 0) &&
    measureWidth(text) > (width ?? 0) - before &&
    (isNarrow || wrapText(text, room).some(line => measureWidth(line) > room));
  return all.flatMap(row => {
    const last = row.at(-1) ?? EMPTY;
    const start = row
      .slice(0, -1)
      .map((cell, column) => padCell(cell, widths[column] ?? 0, columns[used[column] ?? 0]?.align) + GAP)
      .join('');
    if (width !== undefined && isBelow(last.text)) {
      const lines = wrapText(last.text, width - INDENT.length);
      return [start.trimEnd(), ...lines.map(text => INDENT + last.paint(text))];
    }
    const [first = '', ...more] = wrapText(last.text, room);
    return [start + last.paint(first), ...more.map(text => ' '.repeat(before) + last.paint(text))];
  });
}

/** The first cell of each row, and below it the other cells, each after the head of its column. */
function renderStacked(
  heads: readonly TableCell[],
  rows: readonly (readonly TableCell[])[],
  width: number,
): readonly string[] {
  const [key = EMPTY, ...others] = heads;
  const names = Math.max(...others.map(({ text }) => measureWidth(text)));
  const start = INDENT.length + names + GAP.length;
  const below = (cell: TableCell, head: TableCell) =>
    wrapText(cell.text, Math.max(LEAST_LAST, width - start)).map(
      (text, line) => INDENT + padCell(line === 0 ? head : EMPTY, names) + GAP + cell.paint(text),
    );
  return [
    key.paint(key.text),
    ...rows.flatMap(([first = EMPTY, ...cells]) => [
      ...wrapText(first.text, width).map(text => first.paint(text)),
      ...cells.flatMap((cell, at) => (cell.text === '' ? [] : below(cell, others[at] ?? EMPTY))),
    ]),
  ];
}

const EMPTY: TableCell = { text: '', paint: text => text };

function padCell({ text, paint }: TableCell, width: number, align: TableColumn['align'] = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - measureWidth(text)));
  return align === 'right' ? space + paint(text) : paint(text) + space;
}

/** Wraps at `room` columns; a longer word gets a line of its own. */
export function wrapText(text: string, room: number): readonly string[] {
  if (measureWidth(text) <= room) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && measureWidth(last) + 1 + measureWidth(word) <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function measureWidth(text: string): number {
  let width = 0;
  for (const char of text) width += countColumns(char);
  return width;
}
