import { styleText } from 'node:util';
import { printable } from '../../../diagnostics/render/printable.ts';
import { buildPages, type Page } from './page.ts';
import type { ExposureRenderer } from './rendering.ts';
import type { Cell, Section } from './section.ts';
import { formatSummary } from './summary.ts';
import { broken, type TableColumn, tableLines } from './table.ts';

type Paint = (format: 'bold' | 'dim' | 'yellow', text: string) => string;

const INDENT = '  ';

/** Text output: each gateway and registry server with its tables, and a summary line. */
export const renderPretty: ExposureRenderer = (report, { color, width }) => {
  const paint: Paint = color ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;
  const blocks = buildPages(report).map(page => pageText(page, paint, width));
  const summary = broken(formatSummary(report), width ?? Number.POSITIVE_INFINITY);
  return [...blocks, ...summary, ''].join('\n');
};

function pageText({ title, facts, sections }: Page, paint: Paint, width: number | undefined): string {
  const cells = facts.map(({ name, text }) => [plain(name), plain(printable(text))]);
  const column = { head: plain(''), align: 'left' as const };
  return [
    paint('bold', printable(title)),
    ...indented(tableLines([column, column], cells, widthInside(width)).slice(1)),
    '',
    ...sections.flatMap(one => [...section(one, paint, width), '']),
  ].join('\n');
}

function section({ title, head, rows, note }: Section, paint: Paint, width: number | undefined): readonly string[] {
  const columns = head.map((column): TableColumn => {
    return {
      head: { text: column.name.toUpperCase(), paint: text => paint('dim', text) },
      align: column.align ?? 'left',
    };
  });
  const cells = rows.map(row => row.map(cell => painted(cell, paint)));
  return [
    ...broken(title, width ?? Number.POSITIVE_INFINITY).map(line => paint('bold', line)),
    ...indented(tableLines(columns, cells, widthInside(width))),
    ...(note === undefined ? [] : [`${INDENT}${paint('dim', note)}`]),
  ];
}

function painted({ text, tone }: Cell, paint: Paint) {
  const safe = printable(text);
  if (tone === undefined) return plain(safe);
  const format = tone === 'warn' ? 'yellow' : 'dim';
  return { text: safe, paint: (part: string) => paint(format, part) };
}

function plain(text: string) {
  return { text, paint: (part: string) => part };
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map(line => `${INDENT}${line}`.trimEnd());
}

function widthInside(width: number | undefined): number | undefined {
  return width === undefined ? undefined : width - INDENT.length;
}
