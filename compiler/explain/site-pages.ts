/** Where the site of the documentation has what is explained, from its root. */
import type { DiagnosticCode } from '../diagnostics/codes.ts';

export function getCodePage(code: DiagnosticCode): string {
  return `codes/${code}.html`;
}

/** Items of lists and values of maps have no page of their own, so that no address holds `[]` and `*`. */
export function getFieldPage(path: string): string {
  return `fields/${path.replaceAll('[]', '').replaceAll('.*', '')}.html`;
}
