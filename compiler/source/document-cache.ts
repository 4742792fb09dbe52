/** Cached results of earlier readings of the same documents. */
export interface DocumentCache {
  /** A result that depends only on its subject, such as a document. */
  getOrCompute<T>(step: string, subject: object, compute: () => T): T;
}

/** Reuses nothing. */
export const NO_DOCUMENT_CACHE: DocumentCache = { getOrCompute: (_step, _subject, compute) => compute() };
