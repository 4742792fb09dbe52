import { escapeUnprintable } from '../../../diagnostics/render/printable.ts';
import type { MatrixRenderer } from './matrix.ts';
import { formatHeading, isThroughWorkflow, WORKFLOW_TEXT } from './matrix-words.ts';

/** One row for each item and one column for each persona (RFC 4180), for spreadsheets. */
export const renderMatrixCsv: MatrixRenderer = (personas, findings) => {
  const rows = findings.flatMap(found =>
    found.matrix.items.map(item => [
      formatHeading(found),
      item.type,
      item.name,
      ...personas.map(persona => (isThroughWorkflow(item, persona) ? WORKFLOW_TEXT : (item.access[persona] ?? 'no'))),
    ]),
  );
  return [['server', 'type', 'name', ...personas], ...rows]
    .map(row => `${row.map(formatField).join(',')}\r\n`)
    .join('');
};

/** A text that a spreadsheet would run as a formula; a leading apostrophe prevents that. */
const FORMULA = /^[=+\-@]/;

function formatField(text: string): string {
  const visible = escapeUnprintable(text);
  const safe = FORMULA.test(visible) ? `'${visible}` : visible;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
