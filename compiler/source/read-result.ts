import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceDocument } from './source-document.ts';

/** What came out of a text: the documents that could be read, and findings about the others. */
export type ReadResult = {
  /** In the order of the text; empty documents are left out. */
  readonly documents: readonly SourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /**
   * What is known of documents that could not be read: which objects they describe, and nothing else of them. One that may describe
   * the one or the other object is here twice.
   */
  readonly leftOut?: readonly SourceDocument[];
};
