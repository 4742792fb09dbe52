/** Findings about a part of a text that stands inside of a document. */
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic, Range } from '../diagnostics/diagnostic.ts';
import { type DiagnoseDetails, diagnose } from '../resolve/diagnose.ts';
import { type JsonNode, JsonParser } from '../source/json-parser.ts';
import { scalarOffsets } from '../source/scalar-offsets.ts';
import type { Path } from '../source/source-document.ts';
import type { PlacedText } from './policy-source.ts';

/** In a text, in UTF-16 code units. */
export interface Part {
  readonly offset: number;
  readonly length: number;
}

/** A finding about a part of a text: marked there when the sources show the text as it is, else as a whole. */
export function diagnoseText(
  placed: PlacedText,
  code: DiagnosticCode,
  part: Part,
  message: string,
  details: DiagnoseDetails = {},
): Diagnostic {
  const found = diagnose(placed.resource.document, code, placed.path, message, details);
  return { ...found, range: rangeOf(placed, part) };
}

/** Where a part of a text is in its file. */
export function rangeOf({ resource, path, within, text }: PlacedText, { offset, length }: Part): Range {
  const { doc } = resource.document;
  const whole = doc.locate(path, 'value');
  const written = doc.source.text.slice(whole.start.offset, whole.end.offset);
  const offsets =
    within === undefined ? scalarOffsets(written, text) : nestedOffsets(written, within, text, doc.value, path);
  const [start, end] = [offsets?.[offset], offsets?.[offset + length]];
  if (start === undefined || end === undefined) return whole;
  return doc.source.range(whole.start.offset + start, whole.start.offset + end);
}

/** The same for a string of a JSON document that is itself a scalar: through both ways of writing. */
function nestedOffsets(
  written: string,
  within: Path,
  text: string,
  root: unknown,
  path: Path,
): readonly number[] | undefined {
  const document = path.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], root);
  if (typeof document !== 'string') return undefined;
  const span = spanIn(document, within);
  const outer = scalarOffsets(written, document);
  if (span === undefined || outer === undefined) return undefined;
  const inner = scalarOffsets(document.slice(span.start, span.end), text);
  const offsets = inner?.map(at => outer[span.start + at]);
  return offsets?.every(at => at !== undefined) ? offsets : undefined;
}

function spanIn(json: string, path: Path): JsonNode['span'] | undefined {
  try {
    let node = new JsonParser(json).parse();
    for (const step of path) node = node?.members?.get(String(step))?.node ?? node?.items?.[Number(step)];
    return node?.span;
  } catch {
    // The readers of sources are stricter than JSON.parse in nothing but their ceilings.
    return undefined;
  }
}
