import { styleText } from 'node:util';
import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';
import { buildPages, type Page } from './page.ts';
import type { ExposureRenderer } from './rendering.ts';
import type { Cell, Section } from './section.ts';
import { formatSummary } from './summary.ts';
import { renderTable, type TableColumn, wrapText } from './table.ts';

type Paint = (format: 'bold' | 'dim' | 'yellow', text: string) => string;

const INDENT = '  ';

/** Text output: each gateway and registry server with its tables, and a summary line. */
export const renderPretty: ExposureRenderer = (report, { color, width }) => {
  const paint: Paint = color ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;
  const blocks = buildPages(report).map(page => formatPage(page, paint, width));
  const summary = wrapText(formatSummary(report), width ?? Number.POSITIVE_INFINITY);
  return [...blocks, ...summary, ''].join('\n');
};

function formatPage({ title, facts, sections }: Page, paint: Paint, width: number | undefined): string {
  const cells = facts.map(({ name, text }) => [toPlainCell(name), toPlainCell(escapeUnprintable(text))]);
  const column = { head: toPlainCell(''), align: 'left' as const };
  return [
    paint('bold', escapeUnprintable(title)),
    ...indentLines(renderTable([column, column], cells, computeInnerWidth(width)).slice(1)),
    '',
    ...sections.flatMap(section => [...renderSection(section, paint, width), '']),
  ].join('\n');
}

function renderSection(
  { title, head, rows, note }: Section,
  paint: Paint,
  width: number | undefined,
): readonly string[] {
  const columns = head.map((column): TableColumn => {
    return {
      head: { text: column.name.toUpperCase(), paint: text => paint('dim', text) },
      align: column.align ?? 'left',
    };
  });
  const cells = rows.map(row => row.map(cell => paintCell(cell, paint)));
  return [
    ...wrapText(title, width ?? Number.POSITIVE_INFINITY).map(line => paint('bold', line)),
    ...indentLines(renderTable(columns, cells, computeInnerWidth(width))),
    ...(note === undefined ? [] : [`${INDENT}${paint('dim', note)}`]),
  ];
}

function paintCell({ text, tone }: Cell, paint: Paint) {
  const safe = escapeUnprintable(text);
  if (tone === undefined) return toPlainCell(safe);
  const format = tone === 'warn' ? 'yellow' : 'dim';
  return { text: safe, paint: (part: string) => paint(format, part) };
}

function toPlainCell(text: string) {
  return { text, paint: (part: string) => part };
}

function indentLines(lines: readonly string[]): readonly string[] {
  return lines.map(line => `${INDENT}${line}`.trimEnd());
}

function computeInnerWidth(width: number | undefined): number | undefined {
  return width === undefined ? undefined : width - INDENT.length;
}
