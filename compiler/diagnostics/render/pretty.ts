import { styleText } from 'node:util';
import { wrapLines } from '#shared/util';
import type { Diagnostic, Range } from '../diagnostic.ts';
import type { Findings } from '../report.ts';
import type { Severity } from '../severity.ts';
import { capFindings } from './cap-findings.ts';
import { type FrameRow, type LineSource, listFrameRows } from './frame.ts';
import { compareSeverity, formatCounts, groupEqual } from './group-findings.ts';
import { formatHyperlink, type Links } from './hyperlink.ts';
import { escapeUnprintable } from './printable.ts';
import { formatNotShown } from './rendering.ts';

/** Layout of findings. */
export type PrettyOptions = {
  /** Whether escape sequences for color are written; the caller knows the terminal and its variables. */
  readonly color: boolean;
  /** Columns of the terminal; default 120, minimum 40. */
  readonly width?: number;
  /** Whether every finding is shown, rather than the first of each code. */
  readonly all?: boolean;
  /** The texts that become links; default: none. */
  readonly links?: Links | undefined;
  /** Whether findings of a severity are grouped by file, with equal findings of several locations on one line. */
  readonly isGrouped?: boolean;
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

interface Layout {
  readonly getLine: LineSource;
  readonly width: number;
  /** Columns for advice: the width of the terminal; unlimited in files and pipes, so that programs can search the text. */
  readonly advised: number;
  readonly paint: Paint;
  readonly links: Links | undefined;
}

/** Maximum number of listed locations of equal findings; the rest is counted. */
const MAX_PLACES = 4;

/** Maximum number of listed objects with the same problem, one line each. */
const MAX_SUBJECTS = 8;

/**
 * Text output in the style of rustc: a headline, the location, the code with carets, related locations and advice. Empty without findings,
 * otherwise with a final line break. Hints come first and errors last: a terminal shows the end of a long text, and the errors have to be
 * there, next to the summary that counts them. Findings of the same severity keep their order.
 */
export function renderPretty(findings: Findings, getLine: LineSource, options: PrettyOptions): string {
  const width = Math.max(LEAST_WIDTH, options.width ?? DEFAULT_WIDTH);
  const paint: Paint = options.color
    ? (format, text) => styleText(format, text, { validateStream: false })
    : (_, text) => text;
  const advised = options.width === undefined ? Number.POSITIVE_INFINITY : width;
  const layout = { getLine, width, advised, paint, links: options.links };
  const { blocks, rest } =
    options.isGrouped === true && options.all !== true
      ? renderGroupedBlocks(findings.diagnostics, layout)
      : renderBlocks(findings.diagnostics, layout, options.all);
  const omitted = findings.omitted.map(({ file, count }) => `${escapeUnprintable(file)}: ${formatNotShown(count)}`);
  return [...blocks, ...rest, ...omitted].map(text => `${text}\n`).join('\n');
}

function sortErrorsLast(found: readonly Diagnostic[]): readonly Diagnostic[] {
  return found.toSorted((a, b) => compareSeverity(b, a));
}

interface Blocks {
  readonly blocks: readonly string[];
  /** Lines about omitted findings. */
  readonly rest: readonly string[];
}

function renderBlocks(found: readonly Diagnostic[], layout: Layout, all: boolean | undefined): Blocks {
  const { shown, rest } = capFindings(found, all);
  return { blocks: sortErrorsLast(shown).map(diagnostic => block(diagnostic, layout).join('\n')), rest };
}

/** With several files: one heading per severity and file, with the number of these findings. */
function renderGroupedBlocks(found: readonly Diagnostic[], layout: Layout): Blocks {
  const isOneFile = new Set(found.map(({ file }) => file)).size === 1;
  const formatKey = ({ severity, file }: Diagnostic) => `${severity} ${file}`;
  const underHeading = Map.groupBy(found, formatKey);
  const groups = new Map(groupEqual(found).map(({ first, others }) => [first, others]));
  const { shown, rest } = capFindings([...groups.keys()]);
  let above: string | undefined;
  const blocks = sortErrorsLast(shown).flatMap(diagnostic => {
    const text = [
      ...block(diagnostic, layout),
      ...renderOtherPlaces(diagnostic, groups.get(diagnostic) ?? [], layout),
    ].join('\n');
    const key = formatKey(diagnostic);
    if (isOneFile || key === above) return [text];
    above = key;
    const heading = `${escapeUnprintable(diagnostic.file)}: ${formatCounts(underHeading.get(key) ?? [])}`;
    return [layout.paint('bold', heading), text];
  });
  return { blocks, rest };
}

function renderOtherPlaces(
  first: Diagnostic,
  others: readonly Diagnostic[],
  { paint, links }: Layout,
): readonly string[] {
  if (others.length === 0) return [];
  const start = `${' '.repeat(computeGutter(first.range))} ${paint('blue', '=')}`;
  const bySubject = Map.groupBy(others, ({ subject }) => subject);
  const ofFirst = bySubject.get(first.subject) ?? [];
  bySubject.delete(first.subject);
  const named = [...bySubject].slice(0, MAX_SUBJECTS);
  return [
    ...(ofFirst.length === 0 ? [] : [`${start} also at ${formatPlaces(ofFirst, links)}`]),
    ...named.map(
      ([subject = '', found]) => `${start} also ${escapeUnprintable(subject)} at ${formatPlaces(found, links)}`,
    ),
    ...(named.length === bySubject.size ? [] : [`${start} also${formatMore(bySubject.size - named.length)}`]),
  ];
}

function formatPlaces(found: readonly Diagnostic[], links: Links | undefined): string {
  const named = found.slice(0, MAX_PLACES).map(({ file, range }) => formatLinkedPlace(file, range, links));
  const beyond = found.length - named.length;
  return `${named.join(', ')}${beyond === 0 ? '' : ` and${formatMore(beyond)}`}`;
}

function formatMore(count: number): string {
  return ` ${count} more; \`lintel check --all\` shows each`;
}

function formatLinkedPlace(file: string, { start }: Range, links: Links | undefined): string {
  return formatHyperlink(`${escapeUnprintable(file)}:${start.line}:${start.column}`, links?.placeUri(file, start.line));
}

function block(found: Diagnostic, layout: Layout): readonly string[] {
  const { paint } = layout;
  const color = COLORS[found.severity];
  const code = formatHyperlink(found.code, layout.links?.codeUri?.(found.code));
  const headline = `${paint(color, `${found.severity}[${code}] ${found.name}`)}: ${escapeUnprintable(found.message)}`;
  const [arrow = '', ...frame] = renderPlace(found.file, found.range, layout, color);
  const made = found.constructPath === undefined ? '' : ` in ${escapeUnprintable(found.constructPath)}`;
  const lines = [paint('bold', headline), `${arrow}${made}`, ...frame];
  for (const related of found.related ?? []) {
    lines.push(`${paint(COLORS.note, 'note')}: ${escapeUnprintable(related.message)}`);
    lines.push(...renderPlace(related.file, related.range, layout, COLORS.note));
  }
  const margin = ' '.repeat(computeGutter(found.range));
  for (const label of ['fix', 'help'] as const) {
    const text = found[label];
    if (text !== undefined) lines.push(...renderAdvice(label, escapeUnprintable(text), margin, layout));
  }
  return lines;
}

/** Wrapped at spaces for narrow terminals; continuation lines are aligned with the text. */
function renderAdvice(label: string, text: string, margin: string, { paint, advised }: Layout): readonly string[] {
  const indent = ' '.repeat(margin.length + label.length + 5);
  const room = advised - indent.length;
  const [first = '', ...more] = text.length <= room ? [text] : wrapLines(text, room);
  return [`${margin} ${paint('blue', '=')} ${label}: ${first}`, ...more.map(line => indent + line)];
}

/** The arrow and the code frame; only the arrow when the source is unavailable. */
function renderPlace(
  file: string,
  range: Range,
  { getLine, width, paint, links }: Layout,
  color: (typeof COLORS)[Severity],
): readonly string[] {
  const gutter = computeGutter(range);
  const margin = ' '.repeat(gutter);
  const arrow = `${margin}${paint('blue', '-->')} ${formatLinkedPlace(file, range, links)}`;
  const rows = listFrameRows(file, range, getLine, width - gutter - 3);
  if (rows.length === 0) return [arrow];
  const bar = paint('blue', '|');
  return [arrow, `${margin} ${bar}`, ...rows.flatMap(row => renderRow(row, gutter, bar, color, paint))];
}

function renderRow(
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
function computeGutter(range: Range): number {
  return String(range.end.line).length;
}
