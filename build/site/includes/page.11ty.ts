/** The layout of every page. */
import { CODES, type DiagnosticCode, FIXED_REASONS, getArea } from '../../../compiler/diagnostics/codes.ts';
import { describeSurroundings } from '../../../compiler/diagnostics/example.ts';
import { renderDocument } from '../document.ts';
import { escaped, facts, prose } from '../html.ts';
import { buildNavigation } from '../navigation.ts';
import { SITE } from '../this-site.ts';

interface PageData {
  readonly page: { readonly inputPath: string; readonly url: string };
  readonly content: string;
  /** The title of pages that are generated from data. */
  readonly title?: string;
}

const navigation = buildNavigation(SITE);

export default function render({ page, content, title }: PageData): string {
  const source = SITE.pageAt(page.inputPath);
  const output = decodeURI(page.url)
    .slice(1)
    .replace(/(^|\/)$/, '$1index.html');
  const code = /^codes\/(LNT\d+)\.html$/.exec(output)?.[1];
  return renderDocument({
    title: source?.title ?? title ?? 'Lintel',
    output,
    content: code === undefined ? content : content.replace('</h1>', `</h1>\n${factsOfCode(code as DiagnosticCode)}`),
    navigation,
  });
}

function factsOfCode(code: DiagnosticCode): string {
  const { severity, check, since, needsLock, needsPods, fixed, bad } = CODES[code];
  const around = describeSurroundings(bad);
  const rows: (readonly [string, string])[] = [
    ['severity', severity],
    ...(check === undefined
      ? []
      : [['in a check', prose(`an ${check} of \`lintel check\`, under every profile`)] as const]),
    ['area', escaped(getArea(code))],
    ['since', since],
    ...(needsLock ? [['needs', prose('the tool lock that `lintel lock` writes')] as const] : []),
    ...(needsPods ? [['needs', prose('pods: `lintel build --manifests` and the controller check it')] as const] : []),
    ...(fixed === undefined
      ? []
      : [
          [
            'fixed',
            prose(`its severity cannot be lowered, and it cannot be suppressed: ${FIXED_REASONS[fixed]}`),
          ] as const,
        ]),
    ['in a terminal', `<code>lintel explain ${code}</code>`],
    ...(around === '' ? [] : [['examples', prose(around)] as const]),
  ];
  return facts(rows);
}
