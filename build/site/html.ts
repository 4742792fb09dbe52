/** Building blocks of pages. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text in an element or a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, char => ENTITIES[char] as string);
}

/** Makes content scroll that is wider than a phone. It is focusable, so that the keyboard can scroll it. */
export function scrolling(label: string, html: string): string {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escaped(label)}">\n${html}</div>\n`;
}

/**
 * A table whose cells repeat the head of their column, which the style shows on a phone.
 * @param rows the cells of each row, as HTML
 */
export function renderTable(label: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map(
    cells =>
      `<tr>${cells.map((cell, at) => `<td data-label="${escaped(heads[at] ?? '')}">${cell}</td>`).join('')}</tr>\n`,
  );
  const head = heads.map(text => `<th scope="col">${escaped(text)}</th>`).join('');
  return scrolling(label, `<table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${lines.join('')}</tbody>\n</table>\n`);
}

export function codeBlock(text: string): string {
  return scrolling('Code', `<pre><code>${escaped(text)}</code></pre>\n`);
}

/** A list of names and values. */
export function facts(pairs: readonly (readonly [name: string, html: string])[]): string {
  const rows = pairs.map(([name, html]) => `<dt>${escaped(name)}</dt><dd>${html}</dd>\n`);
  return rows.length === 0 ? '' : `<dl>\n${rows.join('')}</dl>\n`;
}

/** Formats text between backticks as code. */
export function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function firstSentence(text: string): string {
  return /^.+?[^.]\.(?= [A-Z`]|$)/s.exec(text)?.[0] ?? text;
}
