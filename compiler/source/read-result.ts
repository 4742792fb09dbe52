import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceDocument } from './source-document.ts';

/** The result of reading a text: its readable documents, and findings about the others. */
export type ReadResult = {
  /** In textual order; empty documents are omitted. */
  readonly documents: readonly SourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** The identities of unreadable documents. A document that may describe either of two objects occurs twice. */
  readonly leftOut?: readonly SourceDocument[];
};
