/** Findings about part of a text in another language: a template or an expression. */

import type { DiagnoseDetails } from '../../check/diagnose.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { locatePart } from '../../source/locate-finding.ts';
import type { Path } from '../../source/source-document.ts';

export interface TextLocation {
  readonly text: string;
  readonly path: Path;
}

/** A finding about part of a text. It points at that part when the source contains the text verbatim, otherwise at the whole value. */
export function diagnosePart(
  { document }: Resource,
  code: DiagnosticCode,
  { text, path }: TextLocation,
  [offset, length]: readonly [offset: number, length: number],
  message: string,
  details: DiagnoseDetails = {},
): Diagnostic {
  const { doc, object } = document;
  const location = locatePart(doc, path, { offset, length }, (sourceText, scalar) => scalar(sourceText, text));
  return createDiagnostic(code, { ...location, object }, message, details);
}
