import type { DiagnosticCode } from '../diagnostics/codes.ts';

/** Where the documentation is read. */
const SITE = 'https://lintel.dev/docs';

/** The page about a code. */
export function pageOfCode(code: DiagnosticCode): string {
  return `${SITE}/codes/${code}`;
}

/** The place of a field on the page of its kind or file. @param path as `FieldPlace` has it */
export function pageOfField(kind: string, path: string): string {
  return `${SITE}/fields/${kind}${path === kind ? '' : `#${path}`}`;
}
