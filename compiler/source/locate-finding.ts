/** Places of findings. In a program the place is where the value was given; the YAML that it came to is the second one. */
import { type Range, type RelatedLocation, type SourceLocation, SYNTHESIZED } from '../diagnostics/diagnostic.ts';
import { formatPointer } from '../text/pointer.ts';
import { literalOffsets } from './literal-offsets.ts';
import { scalarOffsets } from './scalar-offsets.ts';
import type { Location, Path, SourceDocument } from './source-document.ts';

/** A stretch of a text in UTF-16 code units. */
export type TextSpan = { readonly offset: number; readonly length: number };

/** Where each code unit of a value stands in the way it is written, and its end; undefined where that is not known. */
export type OffsetMapping = (written: string, value: string) => readonly number[] | undefined;

/** The place of a value, or of its key, as `SourceDocument.locate` has it. */
export function locateValue(document: SourceDocument, path: Path, at: 'key' | 'value' = 'value'): SourceLocation {
  return narrowed(document, path, at, ({ range }) => range);
}

/**
 * The place of a part of a value that is a text in another language: marked where the text is shown as it is, else the whole.
 *
 * @param mapOffsets the text inside of the value as written, by the way in which scalars are written there
 */
export function locatePart(
  document: SourceDocument,
  path: Path,
  { offset, length }: TextSpan,
  mapOffsets: (written: string, scalar: OffsetMapping) => readonly number[] | undefined,
): SourceLocation {
  return narrowed(document, path, 'value', ({ source, range }, scalar) => {
    const { start, end } = range;
    const offsets = mapOffsets(source.text.slice(start.offset, end.offset), scalar);
    const [first, last] = [offsets?.[offset], offsets?.[offset + length]];
    return first === undefined || last === undefined ? range : source.range(start.offset + first, start.offset + last);
  });
}

/** A second place of a finding. */
export function createRelatedLocation(
  message: string,
  document: SourceDocument,
  path: Path,
  at: 'key' | 'value' = 'value',
): RelatedLocation {
  const { file, range } = locateValue(document, path, at);
  return { message, file, range };
}

function narrowed(
  document: SourceDocument,
  path: Path,
  at: 'key' | 'value',
  narrow: (location: Location, scalar: OffsetMapping) => Range,
): SourceLocation {
  const pointer = formatPointer(path);
  const { file, program } = document;
  const written = () => narrow({ source: document.source, range: document.locate(path, at) }, scalarOffsets);
  if (program === undefined) return { file, pointer, range: written() };
  const { constructPath } = program;
  const given = program.locate(path, at);
  if (given === undefined) return { file, pointer, range: written(), constructPath };
  return {
    file: given.source.file,
    pointer,
    range: narrow(given, literalOffsets),
    constructPath,
    related: [{ message: SYNTHESIZED, file, range: written(), pointer }],
  };
}
