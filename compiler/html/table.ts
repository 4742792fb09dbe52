import { escapeHtml } from './escape.ts';

export interface HtmlCell {
  readonly text: string;
  /** `warn`: the row deserves a look, unless the text is empty. */
  readonly tone?: 'warn' | 'dim' | undefined;
}

export interface HtmlTable {
  readonly title: string;
  /** Unique on the page; other elements refer to the table by it. */
  readonly id: string;
  readonly head: readonly { readonly name: string; readonly align?: 'right' }[];
  readonly rows: readonly (readonly HtmlCell[])[];
  readonly note?: string | undefined;
  /** The level of the heading with the title. Default: 3. */
  readonly level?: 2 | 3;
}

/** A column never breaks a word of up to this many characters. Longer words break anywhere, so that other columns stay on the screen. */
const MAX_WHOLE = 24;

function hasLongWord(text: string): boolean {
  return text.split(/\s+/).some(word => word.length > MAX_WHOLE);
}

/** A table with its title. Empty columns are omitted. Each cell repeats the head of its column, which the style of the page shows on a phone. */
export function renderHtmlTable({ title, id, head, rows, note, level = 3 }: HtmlTable): string {
  const used = head.map((_, at) => at).filter(at => rows.some(row => (row[at]?.text ?? '') !== ''));
  const formatClass = (...names: readonly (string | undefined)[]) => {
    const definedNames = names.filter(name => name !== undefined);
    return definedNames.length === 0 ? '' : ` class="${definedNames.join(' ')}"`;
  };
  const align = (at: number) => (head[at]?.align === 'right' ? 'number' : undefined);
  const getHead = (at: number) => escapeHtml(capitalize(head[at]?.name ?? ''));
  const heads = used.map(at => `<th scope="col"${formatClass(align(at))}>${getHead(at)}</th>`);
  const body = rows.map(cells => {
    const isMarked = cells.some(({ text, tone }) => tone === 'warn' && text !== '');
    const shown = used.map(at => {
      const { text = '', tone } = cells[at] ?? {};
      const classes = formatClass(align(at), tone, hasLongWord(text) ? 'long' : undefined);
      return `<td${classes} data-label="${getHead(at)}">${escapeHtml(text)}</td>`;
    });
    return `<tr${formatClass(isMarked ? 'mark' : undefined)}>${shown.join('')}</tr>\n`;
  });
  return `<section>
<h${level} id="${id}">${escapeHtml(title)}</h${level}>
<div class="scroll" role="group" tabindex="0" aria-labelledby="${id}">
<table>
<thead><tr>${heads.join('')}</tr></thead>
<tbody>
${body.join('')}</tbody>
</table>
</div>
${note === undefined ? '' : `<p class="note">${escapeHtml(note)}</p>\n`}</section>
`;
}

/** Abbreviations, whose letters are all capitals. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(['uri', 'url']);

function capitalize(text: string): string {
  return ABBREVIATIONS.has(text) ? text.toUpperCase() : text.charAt(0).toUpperCase() + text.slice(1);
}
