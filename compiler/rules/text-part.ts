/** Findings about a part of a text that is in another language: a template, an expression. */
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type DiagnoseDetails, diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import { scalarOffsets } from '../source/scalar-offsets.ts';
import type { Path } from '../source/source-document.ts';

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
  const found = diagnose(document, code, path, message, details);
  const { source } = document.doc;
  const { start, end } = found.range;
  const offsets = scalarOffsets(source.text.slice(start.offset, end.offset), text);
  const [first, last] = [offsets?.[offset], offsets?.[offset + length]];
  if (first === undefined || last === undefined) return found;
  return { ...found, range: source.range(start.offset + first, start.offset + last) };
}
