import { areaOf, CODES, type DiagnosticCode } from '../diagnostics/codes.ts';
import { AROUND_EXAMPLES_TEXT } from '../diagnostics/example.ts';
import { indented, paragraph, titled } from './layout.ts';

/** The code that a topic is: its number in upper or lower case, or its name. */
export function codeOf(topic: string): DiagnosticCode | undefined {
  const upper = topic.toUpperCase();
  return (Object.keys(CODES) as DiagnosticCode[]).find(code => code === upper || CODES[code].name === topic);
}

/** What the register knows about a code. */
export function explainCode(code: DiagnosticCode): string {
  const { name, severity, since, meaning, fix, bad, good } = CODES[code];
  return `${[
    `${code} ${name}\n${indented(`severity: ${severity}\narea:     ${areaOf(code)}\nsince:    ${since}`)}`,
    ...titled('meaning', paragraph(meaning)),
    ...titled('what to do', paragraph(`${fix}.`)),
    ...titled('bad', indented(bad ?? '').trimEnd()),
    ...titled('good', indented(good ?? '').trimEnd()),
    ...titled('note', bad?.includes('{ name: tools }') ? paragraph(AROUND_EXAMPLES_TEXT) : ''),
  ].join('\n\n')}\n`;
}
