/** Cached results of earlier readings of the same documents. */
export interface DocumentCache {
  /** A result that depends on its subject alone. */
  of<T>(step: string, subject: object, compute: () => T): T;
}

/** Reuses nothing. */
export const NO_DOCUMENT_CACHE: DocumentCache = { of: (_step, _subject, compute) => compute() };
