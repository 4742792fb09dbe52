import { type Diagnostic, SourceText } from '#compiler';
import type { ReadResult } from '../../../compiler/source/read-result.ts';
import { readText } from '../../../compiler/source/read-text.ts';
import type { SourceDocument } from '../../../compiler/source/source-document.ts';

/** Parses a text as the file `a.yaml`, or under another name. */
export function read(text: string, file = 'a.yaml'): ReadResult {
  return readText(new SourceText(file, text));
}

/** The values of all documents. */
export function readValues(text: string, file?: string): unknown[] {
  return read(text, file).documents.map(({ value }) => value);
}

/** The findings of the text and of its documents, such as `LNT1002 3:1-3:2 the key ...`. */
export function readFindings(text: string, file?: string): string[] {
  const { documents, diagnostics } = read(text, file);
  return [...diagnostics, ...documents.flatMap(({ caveats }) => caveats)].map(line);
}

/** A finding on one line: code, range, message. */
export function line({ code, range: { start, end }, message }: Diagnostic): string {
  return `${code} ${start.line}:${start.column}-${end.line}:${end.column} ${message}`;
}

/** The text at the location from `locate`. */
export function textAt(document: SourceDocument, path: readonly (string | number)[], at: 'key' | 'value'): string {
  const { start, end } = document.locate(path, at);
  return document.source.text.slice(start.offset, end.offset);
}

/** The only document of a text. */
export function only(text: string, file?: string): SourceDocument {
  const { documents, diagnostics } = read(text, file);
  const [document] = documents;
  if (documents.length !== 1 || !document) throw new Error(`not one document: ${diagnostics.map(line).join('; ')}`);
  return document;
}
