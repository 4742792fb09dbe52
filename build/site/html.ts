/** Parts of pages. */

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text in an element or a quoted attribute. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, char => ENTITIES[char] as string);
}

/** Lets what is wider than a phone scroll. It can have the focus, so that the keyboard scrolls it, too. */
export function scrolling(label: string, html: string): string {
  return `<div class="scroll" tabindex="0" role="group" aria-label="${escaped(label)}">\n${html}</div>\n`;
}

export function codeBlock(text: string): string {
  return scrolling('Code', `<pre><code>${escaped(text)}</code></pre>\n`);
}

/** Names and values. */
export function facts(pairs: readonly (readonly [name: string, html: string])[]): string {
  const rows = pairs.map(([name, html]) => `<dt>${escaped(name)}</dt><dd>${html}</dd>\n`);
  return rows.length === 0 ? '' : `<dl>\n${rows.join('')}</dl>\n`;
}

/** What stands between backticks, as code; all else as it is. */
export function prose(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

export function firstSentence(text: string): string {
  return /^.+?[^.]\.(?= [A-Z`]|$)/s.exec(text)?.[0] ?? text;
}
