/** Findings about a part of a text that is in another language: a template, an expression. */
import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic, Range } from '../diagnostics/diagnostic.ts';
import { type DiagnoseDetails, diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path, SourceDocument } from '../source/source-document.ts';

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
  const offsets = sourceOffsets(document.doc, found.range, text);
  const [start, end] = [offsets?.[offset], offsets?.[offset + length]];
  if (start === undefined || end === undefined) return found;
  return { ...found, range: document.doc.source.range(start, end) };
}

/**
 * Where in the file each UTF-16 code unit of a text stands, and its end. Undefined for aliases, block scalars, texts over
 * several lines and escapes other than of quotes and backslashes: there, offsets would be guesses.
 */
function sourceOffsets({ source }: SourceDocument, { start, end }: Range, text: string): number[] | undefined {
  const written = source.text.slice(start.offset, end.offset);
  const quote = /^(["']).*\1$/s.exec(written)?.[1];
  const last = written.length - (quote === undefined ? 0 : 1);
  const offsets: number[] = [];
  let at = quote === undefined ? 0 : 1;
  for (; at < last; at += 1) {
    const pair = written.slice(at, at + 2);
    const isEscape = quote === '"' ? pair === '\\"' || pair === '\\\\' : quote === "'" && pair === "''";
    offsets.push(start.offset + at);
    if (isEscape) at += 1;
    if (written[at] !== text[offsets.length - 1]) return undefined;
  }
  return offsets.length === text.length ? [...offsets, start.offset + at] : undefined;
}
