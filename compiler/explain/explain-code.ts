import { CODES, type DiagnosticCode, FIXED_REASONS, getArea } from '../diagnostics/codes.ts';
import { AROUND_EXAMPLES_TEXT } from '../diagnostics/example.ts';
import { indented, paragraph, titled } from './layout.ts';
import { getCodePage } from './site-pages.ts';

/**
 * The register's information about a code.
 * @param site address of the documentation, if there is one
 */
export function explainCode(code: DiagnosticCode, site?: string): string {
  const { name, severity, check, since, needsLock, needsPods, meaning, fix, fixed, bad, good } = CODES[code];
  return `${[
    `${code} ${name}\n${indented(`severity: ${severity}${check === undefined ? '' : `; an ${check} of \`lintel check\` under every profile`}\narea:     ${getArea(code)}\nsince:    ${since}`)}`,
    ...titled('meaning', paragraph(meaning)),
    ...titled(
      'needs',
      [
        needsLock ? paragraph('The tool lock that `lintel lock` writes: without it this is not checked.') : '',
        needsPods ? paragraph('Pods: it is checked by `lintel build --manifests` and by the controller.') : '',
      ].join(''),
    ),
    ...titled(
      'fixed',
      fixed === undefined ? '' : paragraph(`It cannot be turned down or suppressed: ${FIXED_REASONS[fixed]}.`),
    ),
    ...titled('what to do', paragraph(`${fix}.`)),
    ...titled('bad', indented(bad ?? '').trimEnd()),
    ...titled('good', indented(good ?? '').trimEnd()),
    ...titled('page', site === undefined ? '' : indented(site + getCodePage(code))),
    ...titled('note', bad?.includes('{ name: tools }') ? paragraph(AROUND_EXAMPLES_TEXT) : ''),
  ].join('\n\n')}\n`;
}
