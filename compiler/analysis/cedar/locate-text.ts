/** Findings about part of a text inside of a document. */

import type { DiagnoseDetails } from '../../check/diagnose.ts';
import type { DiagnosticCode } from '../../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic, type SourceLocation } from '../../diagnostics/diagnostic.ts';
import { type JsonNode, JsonParser } from '../../source/json-parser.ts';
import { locatePart, type OffsetMapping, type TextSpan } from '../../source/locate-finding.ts';
import { mapScalarOffsets } from '../../source/scalar-offsets.ts';
import type { Path } from '../../source/source-document.ts';
import type { PlacedText } from './policy-source.ts';

/** A finding about part of a text. It points at that part when the source contains the text verbatim, otherwise at the whole value. */
export function diagnoseText(
  placed: PlacedText,
  code: DiagnosticCode,
  part: TextSpan,
  message: string,
  details: DiagnoseDetails = {},
): Diagnostic {
  const { object } = placed.resource.document;
  return createDiagnostic(code, { ...locatePolicyText(placed, part), object }, message, details);
}

/** The location of a part of a policy text. */
export function locatePolicyText({ resource, path, within, text }: PlacedText, part: TextSpan): SourceLocation {
  const { doc } = resource.document;
  return locatePart(doc, path, part, (sourceText, scalar) =>
    within === undefined
      ? scalar(sourceText, text)
      : findNestedOffsets(sourceText, within, text, doc.value, path, scalar),
  );
}

/** The offsets within a JSON document that is itself a scalar: positions map through both encodings. */
function findNestedOffsets(
  sourceText: string,
  within: Path,
  text: string,
  root: unknown,
  path: Path,
  scalar: OffsetMapping,
): readonly number[] | undefined {
  const document = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], root);
  if (typeof document !== 'string') return undefined;
  const span = findSpan(document, within);
  const outer = scalar(sourceText, document);
  if (span === undefined || outer === undefined) return undefined;
  const inner = mapScalarOffsets(document.slice(span.start, span.end), text);
  const offsets = inner?.map(at => outer[span.start + at]);
  return offsets?.every(at => at !== undefined) ? offsets : undefined;
}

function findSpan(json: string, path: Path): JsonNode['span'] | undefined {
  try {
    let node = new JsonParser(json).parse();
    for (const step of path) node = node?.members?.get(String(step))?.node ?? node?.items?.[Number(step)];
    return node?.span;
  } catch {
    // The text is valid JSON, so it can only exceed a limit of the reader with positions.
    return undefined;
  }
}
