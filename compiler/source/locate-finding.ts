/** Locates findings. For a program, the primary location is the value's origin in the program; the generated YAML comes second. */
import { type Range, type RelatedLocation, type SourceLocation, SYNTHESIZED } from '../diagnostics/diagnostic.ts';
import { formatPointer } from '../text/pointer.ts';
import { mapLiteralOffsets } from './literal-offsets.ts';
import { mapScalarOffsets } from './scalar-offsets.ts';
import type { Location, Path, SourceDocument } from './source-document.ts';

/** A range of a text in UTF-16 code units. */
export type TextSpan = { readonly offset: number; readonly length: number };

/** The source offset of each code unit of a value, and of its end; undefined when unknown. */
export type OffsetMapping = (sourceText: string, value: string) => readonly number[] | undefined;

/** The location of a value or its key, as `SourceDocument.locate` defines it. */
export function locateValue(document: SourceDocument, path: Path, at: 'key' | 'value' = 'value'): SourceLocation {
  return narrowLocation(document, path, at, ({ range }) => range);
}

/**
 * The location of a part of a text in another language: that part if the source contains the text verbatim, otherwise the whole value.
 *
 * @param mapOffsets maps offsets in the value to offsets in the source, for the notation of the document
 */
export function locatePart(
  document: SourceDocument,
  path: Path,
  { offset, length }: TextSpan,
  mapOffsets: (sourceText: string, scalar: OffsetMapping) => readonly number[] | undefined,
): SourceLocation {
  return narrowLocation(document, path, 'value', ({ source, range }, scalar) => {
    const { start, end } = range;
    const offsets = mapOffsets(source.text.slice(start.offset, end.offset), scalar);
    const [first, last] = [offsets?.[offset], offsets?.[offset + length]];
    return first === undefined || last === undefined ? range : source.range(start.offset + first, start.offset + last);
  });
}

/** A second location of a finding. */
export function createRelatedLocation(
  message: string,
  document: SourceDocument,
  path: Path,
  at: 'key' | 'value' = 'value',
): RelatedLocation {
  const { file, range } = locateValue(document, path, at);
  return { message, file, range };
}

function narrowLocation(
  document: SourceDocument,
  path: Path,
  at: 'key' | 'value',
  narrow: (location: Location, scalar: OffsetMapping) => Range,
): SourceLocation {
  const pointer = formatPointer(path);
  const { file, program } = document;
  const sourceText = () => narrow({ source: document.source, range: document.locate(path, at) }, mapScalarOffsets);
  if (program === undefined) return { file, pointer, range: sourceText() };
  const { constructPath } = program;
  const callLocation = program.locate(path, at);
  if (callLocation === undefined) return { file, pointer, range: sourceText(), constructPath };
  return {
    file: callLocation.source.file,
    pointer,
    range: narrow(callLocation, mapLiteralOffsets),
    constructPath,
    related: [{ message: SYNTHESIZED, file, range: sourceText(), pointer }],
  };
}
