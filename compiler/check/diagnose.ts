import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type DiagnosticDetails } from '../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { locateValue } from '../source/locate-finding.ts';
import type { Path } from '../source/source-document.ts';

/** Optional details of a finding; `at` selects the key or the value of the path, by default the value. */
export type DiagnoseDetails = DiagnosticDetails & { readonly at?: 'key' | 'value' };

/** Codes about the form of a value. Their pages name no form, so each finding has to. */
type FormCode = 'LNT1012' | 'LNT1013' | 'LNT1014';

/** The details of a finding. Findings of a `FormCode` must say the expected form, in `help` or `fix`. */
export type DetailsOf<C extends DiagnosticCode> = C extends FormCode
  ? [details: DiagnoseDetails & ({ readonly help: string } | { readonly fix: string })]
  : [details?: DiagnoseDetails | undefined];

/**
 * Creates a finding about a part of an object, with its position.
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
  return createDiagnostic(code, { ...locateValue(document.doc, path, at), object: document.object }, message, details);
}
