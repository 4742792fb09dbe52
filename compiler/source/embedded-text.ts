import type { Diagnostic, Position, Range } from '../diagnostics/diagnostic.ts';
import { locateValue } from './locate-finding.ts';
import type { ReadResult } from './read-result.ts';
import { readText } from './read-text.ts';
import type { Path, SourceDocument } from './source-document.ts';
import { SourceText } from './source-text.ts';

/**
 * Parses the documents in a text field of another document, such as a file in a manifest. For a literal block (`|`) positions refer to the outer
 * file, because the lines are the same. For a folded or escaped text they refer to the field, and for a generated text to its origin in the
 * program.
 */
export function readEmbedded(outer: SourceDocument, path: Path, text: string): ReadResult {
  const toOuter = mapToOuter(outer, path, text);
  const getRange = toOuter ?? (() => outer.locate(path, 'key'));
  const { program } = outer;
  const moved = (found: Diagnostic): Diagnostic => {
    const related =
      found.related?.map(location => ({ ...location, file: outer.file, range: getRange(location.range) })) ?? [];
    const outerLocation = {
      ...locateValue(outer, path),
      ...(program === undefined && { range: getRange(found.range) }),
    };
    const all = [...related, ...(outerLocation.related ?? [])];
    return { ...found, ...outerLocation, ...(all.length > 0 && { related: all }) };
  };
  const { documents, diagnostics } = readText(new SourceText('embedded', text));
  return {
    documents: documents.map(inner => ({
      file: outer.file,
      index: outer.index,
      value: inner.value,
      source: outer.source,
      caveats: inner.caveats.map(moved),
      locate: (innerPath: Path, at: 'key' | 'value') =>
        toOuter === undefined ? outer.locate([...path, ...innerPath], at) : toOuter(inner.locate(innerPath, at)),
      // Constructs that render such a text record the positions of its parts.
      program: program && {
        constructPath: program.constructPath,
        locate: (innerPath, at) => program.locate([...path, ...innerPath], at),
        calls: innerPath => program.calls([...path, ...innerPath]),
      },
    })),
    diagnostics: diagnostics.map(moved),
  };
}

/** Undefined when the lines of the text differ from those of the outer file. */
function mapToOuter(outer: SourceDocument, path: Path, text: string): ((inner: Range) => Range) | undefined {
  const field = outer.locate(path, 'value');
  const isLiteral = outer.source.text[field.start.offset] === '|';
  if (!isLiteral) return undefined;
  const lines = new SourceText('embedded', text);
  const outerLocation = ({ line, offset }: Position): Position | undefined => {
    const inner = lines.line(line);
    const around = outer.source.line(field.start.line + line);
    if (inner === undefined || around === undefined || !around.text.endsWith(inner.text)) return undefined;
    return outer.source.position(around.offset + around.text.length - inner.text.length + offset - inner.offset);
  };
  return inner => {
    const start = outerLocation(inner.start);
    const end = outerLocation(inner.end);
    return start === undefined || end === undefined ? outer.locate(path, 'key') : { start, end };
  };
}
