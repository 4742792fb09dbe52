import { printable } from '../../../diagnostics/render/printable.ts';
import type { MatrixRenderer } from './matrix.ts';

/** A line for each thing and a column for each persona (RFC 4180), for spreadsheets. */
export const renderMatrixCsv: MatrixRenderer = (personas, findings) => {
  const rows = findings.flatMap(({ matrix }) =>
    matrix.items.map(({ type, name, access }) => [
      `${matrix.namespace}/${matrix.name}`,
      type,
      name,
      ...personas.map(persona => access[persona] ?? 'no'),
    ]),
  );
  return [['gateway', 'type', 'name', ...personas], ...rows].map(row => `${row.map(field).join(',')}\r\n`).join('');
};

/** What a spreadsheet would take for a formula; an apostrophe makes it text. */
const FORMULA = /^[=+\-@]/;

function field(text: string): string {
  const visible = printable(text);
  const safe = FORMULA.test(visible) ? `'${visible}` : visible;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
