/** Self-contained HTML pages: they load nothing and run only their own script. */
import { createHash } from 'node:crypto';
import { PAGE_STYLE } from '#shared/util';
import { escapeHtml } from './escape.ts';
import { SEARCH_SCRIPT } from './search-script.ts';

export interface HtmlPage {
  readonly title: string;
  /** Below the title, as lines of text. */
  readonly summary: string;
  /** The content of `main`, as HTML. */
  readonly content: string;
}

const formatHash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = [
  "default-src 'none'",
  `style-src ${formatHash(PAGE_STYLE)}`,
  `script-src ${formatHash(SEARCH_SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** A whole document with a search for table rows and graph nodes. */
export function renderHtmlDocument({ title, summary, content }: HtmlPage): string {
  const paragraphs = summary.split('\n').map(line => `<p>${escapeHtml(line)}</p>\n`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
${paragraphs.join('')}<form role="search">
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<label class="choice"><input id="marked" type="checkbox"> Only what deserves a look (orange)</label>
<output id="found" for="search marked"></output>
</form>
</header>
<main>
${content}</main>
<script>${SEARCH_SCRIPT}</script>
</body>
</html>
`;
}
