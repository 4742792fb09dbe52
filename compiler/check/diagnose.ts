import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { type Diagnostic, type DiagnosticDetails, diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { locateValue } from '../source/locate-finding.ts';
import type { Path } from '../source/source-document.ts';

/** What a caller may add; `at` says whether the key or the value of the path is marked, the value unless given. */
export type DiagnoseDetails = DiagnosticDetails & { readonly at?: 'key' | 'value' };

/** Codes about the form of a value: their pages name no form, so each finding has to. */
type FormCode = 'LNT1012' | 'LNT1013' | 'LNT1014';

/** With the form that is wanted, where the code asks for it. */
export type DetailsOf<C extends DiagnosticCode> = C extends FormCode
  ? [details: DiagnoseDetails & ({ readonly help: string } | { readonly fix: string })]
  : [details?: DiagnoseDetails | undefined];

/**
 * A finding about a part of an object, with its place.
 *
 * @param path from the root of the object, so it starts with `spec` or `metadata`
 */
export function diagnose<C extends DiagnosticCode>(
  document: ResourceDocument,
  code: C,
  path: Path,
  message: string,
  ...[{ at = 'value', ...details } = {}]: DetailsOf<C>
): Diagnostic {
  return diagnostic(code, { ...locateValue(document.doc, path, at), object: document.object }, message, details);
}
