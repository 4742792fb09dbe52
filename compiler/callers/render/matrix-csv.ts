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
const FORMULA = /^[=+\-@\t\r]/;

function field(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
