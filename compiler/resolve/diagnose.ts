import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { type Diagnostic, type DiagnosticDetails, diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { placeIn } from '../source/place-in.ts';
import type { Path } from '../source/source-document.ts';

/** What a caller may add; `at` says whether the key or the value of the path is marked, the value unless given. */
export type DiagnoseDetails = DiagnosticDetails & { readonly at?: 'key' | 'value' };

/**
 * A finding about a part of an object, with its place.
 *
 * @param path from the root of the object, so it starts with `spec` or `metadata`
 */
export function diagnose(
  document: ResourceDocument,
  code: DiagnosticCode,
  path: Path,
  message: string,
  { at = 'value', ...details }: DiagnoseDetails = {},
): Diagnostic {
  return diagnostic(code, { ...placeIn(document.doc, path, at), object: document.object }, message, details);
}
