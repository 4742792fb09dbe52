import type { DiagnosticCode } from '../diagnostics/codes.ts';
import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import { formatPointer } from '../text/pointer.ts';
import { collectSecretLines } from './secret-lines.ts';
import type { Path } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A range of a text in UTF-16 offsets; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

/** A reader's finding, whose position is still an offset. */
export type ReaderProblem = {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly span: Span;
  readonly path: Path;
  readonly related?: { readonly message: string; readonly span: Span };
  readonly help?: string;
  /** Message and help for locations whose text must not be shown. */
  readonly withheld?: { readonly message: string; readonly help: string };
};

/** Thrown inside of a reader to abandon a document; never propagates further. */
export class UnreadableError extends Error {
  readonly problem: ReaderProblem;

  constructor(problem: ReaderProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** The finding with lines and columns. */
export function toDiagnostic(problem: ReaderProblem, source: SourceText): Diagnostic {
  const { code, span, path, related, withheld } = problem;
  const location = { file: source.file, pointer: formatPointer(path), range: source.range(span.start, span.end) };
  const isShown = withheld === undefined || !collectSecretLines(source).has(location.range.start.line);
  const { message, help } = isShown ? problem : withheld;
  return createDiagnostic(code, location, message, {
    ...(related && {
      related: [
        { message: related.message, file: source.file, range: source.range(related.span.start, related.span.end) },
      ],
    }),
    ...(help !== undefined && { help }),
  });
}
