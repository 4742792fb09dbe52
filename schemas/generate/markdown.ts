/** GitHub-flavoured Markdown tables from arbitrary text. */

/** A table; cells are Markdown, in which pipes, line breaks and angle brackets are made harmless. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(formatCell).join(' | ')} |`;
  return [line(head), `|${head.map(() => ' --- |').join('')}`, ...rows.map(line)].join('\n');
}

/**
 * Escapes one cell. A pipe ends a cell even inside a code span, so it is always escaped; `<` starts HTML only outside of one.
 *
 * @see https://github.github.com/gfm/#tables-extension-
 */
export function formatCell(markdown: string): string {
  return markdown
    .replace(/(?<!`)(?<fence>`+)(?!`).*?(?<!`)\k<fence>(?!`)|</gs, part => (part === '<' ? '&lt;' : part))
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}
