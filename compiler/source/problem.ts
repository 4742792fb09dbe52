import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { pointerOf } from '../diagnostics/pointer.ts';
import type { Path } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A stretch of a text in UTF-16 offsets; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** A finding of a reader, whose place is still an offset. */
export type Problem = {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly span: Span;
  readonly path: Path;
  readonly related?: { readonly message: string; readonly span: Span };
  readonly help?: string;
};

/** Thrown inside of a reader to leave a document at once; never leaves the reader. */
export class Unreadable extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The finding with lines and columns. */
export function toDiagnostic(problem: Problem, source: SourceText): Diagnostic {
  const { code, message, span, path, related, help } = problem;
  const place = { file: source.file, pointer: pointerOf(path), range: source.range(span.start, span.end) };
  return diagnostic(code, place, message, {
    ...(related && {
      related: [
        { message: related.message, file: source.file, range: source.range(related.span.start, related.span.end) },
      ],
    }),
    ...(help !== undefined && { help }),
  });
}
