import type { Range as LspRange } from 'vscode-languageserver';
import { mapScalarOffsets } from '../source/scalar-offsets.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import { toLspRange } from './positions.ts';

/**
 * The range of a part of a text, without quotes; undefined when the source does not contain the text verbatim.
 *
 * @param at the key or the value of the path
 * @param length of the part from the start of the text, in UTF-16 code units
 */
export function findValueRange(
  source: SourceText,
  document: SourceDocument,
  path: Path,
  at: 'key' | 'value',
  text: string,
  length: number,
): LspRange | undefined {
  const { start, end } = document.locate(path, at);
  const offsets = mapScalarOffsets(source.text.slice(start.offset, end.offset), text);
  const [first, last] = [offsets?.[0], offsets?.[length]];
  if (first === undefined || last === undefined) return undefined;
  return toLspRange(source, source.range(start.offset + first, start.offset + last));
}
