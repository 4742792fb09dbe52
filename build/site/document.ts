/** A complete HTML page. */
import { relativeTo } from './addresses.ts';
import { escaped } from './html.ts';
import type { NavigationGroup } from './navigation.ts';

/** Files next to the pages; a page loads nothing else. */
export const STYLE = 'site.css';
export const ICON = 'icon.svg';
export const SCRIPT = 'site.js';
/** The script that is loaded with the first search. */
export const SEARCHED = 'search.js';

/** Pages load nothing from other sites and run nothing inline. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

export interface Document {
  readonly title: string;
  readonly output: string;
  readonly content: string;
  readonly navigation: readonly NavigationGroup[];
}

export function renderDocument({ title, output, content, navigation }: Document): string {
  const to = (target: string) => relativeTo(output, target);
  const groups = navigation.map(({ title, links }) => {
    const items = links.map(([target, name]) => {
      const current = target === output ? ' aria-current="page"' : '';
      return `<li><a href="${to(target)}"${current}>${escaped(name)}</a></li>\n`;
    });
    return `<h2>${title}</h2>\n<ul>\n${items.join('')}</ul>\n`;
  });
  return `<!doctype html>
<html lang="en" data-root="${to('index.html').replace(/index\.html$/, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}${title === 'Lintel' ? '' : ' · Lintel'}</title>
<link rel="icon" href="${to(ICON)}">
<link rel="stylesheet" href="${to(STYLE)}">
<script src="${to(SCRIPT)}" defer></script>
</head>
<body>
<header>
<a class="skip" href="#content">To the text</a>
<a class="home" href="${to('index.html')}">Lintel</a>
<form role="search" hidden>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<output id="count" for="search"></output>
</form>
<a class="all" href="#pages">All pages</a>
<ol id="results" hidden></ol>
</header>
<main id="content" tabindex="-1">
${content}</main>
<nav id="pages" aria-label="Pages">
${groups.join('')}</nav>
</body>
</html>
`;
}
