import { styleText } from 'node:util';
import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';
import { renderTable, type TableCell } from '../../exposure/render/table.ts';
import type { MatrixRenderer } from './matrix.ts';
import { CELL_TEXTS, collectNotes, formatCell, formatHeading, groupByItemType } from './matrix-words.ts';

const INDENT = '  ';

/** Text output: for each gateway, one table per item type. */
export const renderMatrixText: MatrixRenderer = (personas, findings, { color, width }) => {
  const paint = (format: 'bold' | 'dim' | 'yellow') => (text: string) =>
    color ? styleText(format, text, { validateStream: false }) : text;
  const plain = (text: string): TableCell => ({ text: escapeUnprintable(text), paint: part => part });
  const head = (text: string) => ({
    head: { text: escapeUnprintable(text), paint: paint('dim') },
    align: 'left' as const,
  });
  const toTableCell = (text: string): TableCell => ({
    text,
    paint: text === CELL_TEXTS.yes ? part => part : paint(text === CELL_TEXTS.no ? 'dim' : 'yellow'),
  });
  const blocks = findings.map(found => {
    const sections = groupByItemType(found.matrix).flatMap(({ title, items }) => {
      const rows = items.map(item => [
        plain(item.name),
        ...personas.map(persona => toTableCell(formatCell(item, persona))),
      ]);
      const lines = renderTable([head('NAME'), ...personas.map(head)], rows, width && width - INDENT.length);
      return ['', paint('bold')(title), ...lines.map(line => `${INDENT}${line}`.trimEnd())];
    });
    const notes = collectNotes(found).map(note => `${INDENT}${escapeUnprintable(note.replace(/\s*\n\s*/g, ' '))}`);
    const lines = [
      paint('bold')(escapeUnprintable(formatHeading(found))),
      ...(sections.length === 0 ? [`${INDENT}nothing is known to be offered`] : sections.slice(1)),
      ...(notes.length === 0 ? [] : ['', ...notes]),
    ];
    return lines.map(line => `${line}\n`).join('');
  });
  return blocks.join('\n');
};
