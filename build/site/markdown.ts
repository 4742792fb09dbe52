/** Markdown rendering of the site: links to its own pages, headings with ids, tables whose cells name their column on a phone, and code that scrolls there. */
import type { Markdown, MarkdownEnvironment, MarkdownToken } from '@11ty/eleventy';

import { relativeTo } from './addresses.ts';
import { headingId } from './headings.ts';
import { codeBlock, escaped, scrolling } from './html.ts';
import { linkOnSite } from './links.ts';
import type { Site } from './site.ts';

const [TABLE_START = '', TABLE_END = ''] = scrolling('Table', '<table>\n\n</table>\n').split('\n\n');

export function adaptMarkdown(markdown: Markdown, site: Site): void {
  // `<` in a text is shown literally. HTML comments are dropped, because they only say that a page is generated.
  markdown.set({ html: false });
  const { rules } = markdown.renderer;
  const findPage = ({ page }: MarkdownEnvironment) => site.pageAt(page?.inputPath ?? '');

  markdown.core.ruler.push('heading-ids', ({ tokens }) => {
    const taken = new Set<string>();
    for (const [at, token] of tokens.entries())
      if (token.type === 'heading_open') token.attrSet('id', headingId(readHeading(tokens[at + 1]), taken));
  });

  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const page = findPage(env);
    if (page === undefined) return;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href === null) continue;
      const target = linkOnSite(site.root, site.sources, site.kinds, page, decodeURI(href));
      // A link without an address is plain text.
      if (target === undefined) token.attrSet('href', '');
      else token.attrSet('href', target);
    }
  });

  markdown.core.ruler.push('table-labels', ({ tokens }) => {
    let heads: string[] = [];
    let column = 0;
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'table_open') heads = [];
      else if (token.type === 'tr_open') column = 0;
      else if (token.type === 'th_open') heads.push(readHeading(tokens[at + 1]));
      else if (token.type === 'td_open') token.attrSet('data-label', heads[column++] ?? '');
    }
  });

  rules.link_open = (tokens, at, options, _env, self) =>
    tokens[at]?.attrGet('href') === '' ? '<span>' : self.renderToken(tokens, at, options);
  rules.link_close = (tokens, at, options, _env, self) =>
    tokens[openingLink(tokens, at)]?.attrGet('href') === '' ? '</span>' : self.renderToken(tokens, at, options);

  rules.table_open = () => TABLE_START;
  rules.table_close = () => TABLE_END;
  rules.fence = rules.code_block = (tokens, at) => codeBlock(tokens[at]?.content ?? '');

  rules.code_inline = (tokens, at, _options, env) => {
    const { content = '' } = tokens[at] ?? {};
    const code = `<code>${escaped(content)}</code>`;
    const page = findPage(env);
    const output = page === undefined || isInLink(tokens, at) ? undefined : site.pageNamed(content);
    return output === undefined || output === page?.output
      ? code
      : `<a href="${relativeTo(page?.output ?? '', output)}">${code}</a>`;
  };
}

/** The text of a heading, from which GitHub makes the id. */
export function readHeading(inline: MarkdownToken | undefined): string {
  return (inline?.children ?? []).map(({ content }) => content).join('');
}

function openingLink(tokens: readonly MarkdownToken[], close: number): number {
  return tokens.findLastIndex(({ type }, at) => at < close && type === 'link_open');
}

function isInLink(tokens: readonly MarkdownToken[], at: number): boolean {
  const before = tokens.slice(0, at);
  const count = (type: string) => before.filter(token => token.type === type).length;
  return count('link_open') > count('link_close');
}
