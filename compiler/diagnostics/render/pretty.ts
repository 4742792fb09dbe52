import { styleText } from 'node:util';
import type { Diagnostic, Range, Severity } from '../diagnostic.ts';
import type { Findings } from '../report.ts';
import { capped } from './capped.ts';
import { type FrameRow, frameRows, type LineSource } from './frame.ts';
import { printable } from './printable.ts';
import { notShown } from './rendering.ts';

/** How findings are laid out. */
export type PrettyOptions = {
  /** Whether escape sequences for color are written; the caller knows the terminal and its variables. */
  readonly color: boolean;
  /** Columns of the terminal; 120 when not given, at least 40. */
  readonly width?: number;
  /** Whether every finding is shown, and not the first of each code. */
  readonly all?: boolean;
};

const DEFAULT_WIDTH = 120;
const LEAST_WIDTH = 40;

const COLORS: Readonly<Record<Severity | 'note', 'red' | 'yellow' | 'cyan' | 'green'>> = {
  error: 'red',
  warning: 'yellow',
  hint: 'cyan',
  note: 'green',
};

type Paint = (format: 'bold' | 'blue' | 'red' | 'yellow' | 'cyan' | 'green', text: string) => string;

/**
 * The findings for people, in the manner of rustc: a headline, the place, the code with carets under it, related places
 * and what to do. Without findings the empty string; otherwise it ends with a line break.
 */
export function renderPretty(findings: Findings, lineOf: LineSource, options: PrettyOptions): string {
  const width = Math.max(LEAST_WIDTH, options.width ?? DEFAULT_WIDTH);
  const paint: Paint = options.color
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
  const { shown, rest } = capped(findings.diagnostics, options.all);
  const blocks = shown.map(found => block(found, lineOf, width, paint));
  const omitted = findings.omitted.map(({ file, count }) => `${printable(file)}: ${notShown(count)}`);
  return [...blocks, ...rest, ...omitted].map(text => `${text}\n`).join('\n');
}

function block(found: Diagnostic, lineOf: LineSource, width: number, paint: Paint): string {
  const color = COLORS[found.severity];
  const headline = `${paint(color, `${found.severity}[${found.code}] ${found.name}`)}: ${printable(found.message)}`;
  const [arrow = '', ...frame] = place(found.file, found.range, lineOf, width, color, paint);
  const made = found.constructPath === undefined ? '' : ` in ${printable(found.constructPath)}`;
  const lines = [paint('bold', headline), `${arrow}${made}`, ...frame];
  for (const related of found.related ?? []) {
    lines.push(`${paint(COLORS.note, 'note')}: ${printable(related.message)}`);
    lines.push(...place(related.file, related.range, lineOf, width, COLORS.note, paint));
  }
  const margin = ' '.repeat(gutterOf(found.range));
  for (const label of ['fix', 'help'] as const) {
    const text = found[label];
    if (text !== undefined) lines.push(`${margin} ${paint('blue', '=')} ${label}: ${printable(text)}`);
  }
  return lines.join('\n');
}

/** The arrow and the frame; only the arrow when the text is not at hand. */
function place(
  file: string,
  range: Range,
  lineOf: LineSource,
  width: number,
  color: (typeof COLORS)[Severity],
  paint: Paint,
): readonly string[] {
  const gutter = gutterOf(range);
  const margin = ' '.repeat(gutter);
  const arrow = `${margin}${paint('blue', '-->')} ${printable(file)}:${range.start.line}:${range.start.column}`;
  const rows = frameRows(file, range, lineOf, width - gutter - 3);
  if (rows.length === 0) return [arrow];
  const bar = paint('blue', '|');
  return [arrow, `${margin} ${bar}`, ...rows.flatMap(row => rowLines(row, gutter, bar, color, paint))];
}

function rowLines(
  row: FrameRow,
  gutter: number,
  bar: string,
  color: (typeof COLORS)[Severity],
  paint: Paint,
): readonly string[] {
  const margin = ' '.repeat(gutter);
  if (row.number === undefined) return [`${margin} ${bar} ${row.code ?? ''}`];
  const number = paint('blue', String(row.number).padStart(gutter));
  const code = row.code ? `${number} ${bar} ${row.code}` : `${number} ${bar}`;
  return row.carets === undefined ? [code] : [code, `${margin} ${bar} ${paint(color, row.carets)}`];
}

/** Width of the line numbers of a frame. */
function gutterOf(range: Range): number {
  return String(range.end.line).length;
}
