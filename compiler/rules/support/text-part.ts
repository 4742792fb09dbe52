/** Findings about a part of a text that is in another language: a template, an expression. */

import type { DiagnoseDetails } from '../../check/diagnose.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { type Diagnostic, diagnostic } from '../../diagnostics/diagnostic.ts';
import type { Resource } from '../../resolve/inventory.ts';
import { partIn } from '../../source/place-in.ts';
import type { Path } from '../../source/source-document.ts';

export interface TextPlace {
  readonly text: string;
  readonly path: Path;
}

/** A finding about a part of a text: marked there when the sources show the text as it is, else as a whole. */
export function diagnosePart(
  { document }: Resource,
  code: DiagnosticCode,
  { text, path }: TextPlace,
  [offset, length]: readonly [offset: number, length: number],
  message: string,
  details: DiagnoseDetails = {},
): Diagnostic {
  const { doc, object } = document;
  const place = partIn(doc, path, { offset, length }, (written, scalar) => scalar(written, text));
  return diagnostic(code, { ...place, object }, message, details);
}
