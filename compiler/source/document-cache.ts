/** Cached results of earlier readings of the same documents. */
export interface DocumentCache {
  /** A result that depends on its subject alone. */
  getOrCompute<T>(step: string, subject: object, compute: () => T): T;
}

/** Reuses nothing. */
export const NO_DOCUMENT_CACHE: DocumentCache = { getOrCompute: (_step, _subject, compute) => compute() };
