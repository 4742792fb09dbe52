/** What an earlier reading of the same documents came to. */
export interface DocumentCache {
  /** A result that depends on its subject alone. */
  of<T>(step: string, subject: object, compute: () => T): T;
}

/** Takes nothing over. */
export const NO_DOCUMENT_CACHE: DocumentCache = { of: (_step, _subject, compute) => compute() };
