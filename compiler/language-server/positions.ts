/** Lintel's positions count code points from 1, LSP positions UTF-16 code units from 0. */
import { pathToFileURL } from 'node:url';
import type { Position as LspPosition, Range as LspRange } from 'vscode-languageserver';
import type { Position, Range } from '../diagnostics/diagnostic.ts';
import type { SourceText } from '../source/source-text.ts';

export function toLspRange(source: SourceText, { start, end }: Range): LspRange {
  return { start: toLspPosition(source, start), end: toLspPosition(source, end) };
}

function toLspPosition(source: SourceText, { line, offset }: Position): LspPosition {
  return { line: line - 1, character: offset - (source.line(line)?.offset ?? 0) };
}

/** The offset of a position; a position past the end of its line means the end. */
export function toOffset(source: SourceText, { line, character }: LspPosition): number {
  const found = source.line(line + 1);
  return found === undefined ? source.text.length : found.offset + Math.min(character, found.text.length);
}

/** The URI of a file, in the form of clients that follow RFC 3986. */
export function toUri(absolute: string): string {
  return pathToFileURL(absolute).href;
}
