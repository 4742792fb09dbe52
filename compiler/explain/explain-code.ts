import { CODES, type DiagnosticCode, type Example, FIXED_REASONS, getArea } from '../diagnostics/codes.ts';
import { describeSurroundings } from '../diagnostics/example.ts';
import { formatTitled, indentText, wrapParagraph } from './layout.ts';
import { getCodePage } from './site-pages.ts';

/**
 * The register's information about a code.
 * @param site address of the documentation, if there is one
 */
export function explainCode(code: DiagnosticCode, site?: string): string {
  const { name, severity, check, since, needsLock, needsPods, meaning, fix, fixed, bad, good } = CODES[code];
  return `${[
    `${code} ${name}\n${indentText(`severity: ${severity}${check === undefined ? '' : `; an ${check} of \`lintel check\` under every profile`}\narea:     ${getArea(code)}\nsince:    ${since}`)}`,
    ...formatTitled('meaning', wrapParagraph(meaning)),
    ...formatTitled(
      'needs',
      [
        needsLock ? wrapParagraph('The tool lock that `lintel lock` writes: without it this is not checked.') : '',
        needsPods ? wrapParagraph('Pods: it is checked by `lintel build --manifests` and by the controller.') : '',
      ].join(''),
    ),
    ...formatTitled(
      'fixed',
      fixed === undefined
        ? ''
        : wrapParagraph(`Its severity cannot be lowered, and it cannot be suppressed: ${FIXED_REASONS[fixed]}.`),
    ),
    ...formatTitled('what to do', wrapParagraph(`${fix}.`)),
    ...formatTitled('bad', formatExample(bad)),
    ...formatTitled('good', formatExample(good)),
    ...formatTitled('page', site === undefined ? '' : indentText(site + getCodePage(code))),
    ...formatTitled('note', wrapParagraph(describeSurroundings(bad))),
  ].join('\n\n')}\n`;
}

/** The blocks of an example: files below their names, commands behind a prompt. */
function formatExample(example: Example): string {
  return example
    .map(({ file, language, text }) => {
      if (language === 'sh') return indentText(text.replace(/^(?=.)/gm, '$ '));
      return file === undefined ? indentText(text) : `${indentText(`${file}:`)}\n${indentText(indentText(text))}`;
    })
    .join('\n')
    .trimEnd();
}
