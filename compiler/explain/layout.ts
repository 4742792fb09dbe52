/** Plain text for a terminal: wrapped paragraphs and aligned columns. */
import { wrapLines } from '#shared/util';

const WIDTH = 80;
const INDENT = '  ';

/** A paragraph wrapped at spaces, with each line indented. A word that is too long gets a line of its own. */
export function wrapParagraph(text: string, indent: string = INDENT): string {
  return indentText(wrapLines(text, WIDTH - indent.length).join('\n'), indent);
}

/** A paragraph behind a hyphen. */
export function wrapItem(text: string): string {
  return wrapParagraph(text, `${INDENT}${INDENT}`).replace(/^ {4}/, `${INDENT}- `);
}

/** The text up to the end of the first sentence. */
export function takeFirstSentence(text: string): string {
  return /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** Every line of a text indented; empty lines stay empty. */
export function indentText(text: string, indent: string = INDENT): string {
  return text.replace(/^(?=.)/gm, indent);
}

/** Aligned rows: all cells but the last are padded. Empty columns are omitted. */
export function alignColumns(rows: readonly (readonly string[])[]): string {
  const used = (rows[0] ?? []).map((_, at) => at).filter(at => rows.some(row => row[at] !== ''));
  const widths = used.map(at => Math.max(...rows.map(row => row[at]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    used.map((at, column) => (row[at] ?? '').padEnd(widths[column] ?? 0)).join('  ');
  return indentText(rows.map(row => line(row).trimEnd()).join('\n'));
}

/** A heading in capitals above its text; nothing without text. */
export function formatTitled(title: string, text: string): readonly string[] {
  return text === '' ? [] : [`${title.toUpperCase()}:\n${text}`];
}
