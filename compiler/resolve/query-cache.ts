import { type DocumentCache, NO_DOCUMENT_CACHE } from '../source/document-cache.ts';
import type { Inventory } from './inventory.ts';

/** The results that a compilation may reuse from the previous one. */
export interface QueryCache extends DocumentCache {
  /** A result that depends on its subject, such as an object, and on the results of queries to the inventory. */
  getOrComputeAmong<T>(step: string, subject: object, inventory: Inventory, compute: (inventory: Inventory) => T): T;
}

/** Reuses nothing. */
export const NO_QUERY_CACHE: QueryCache = {
  ...NO_DOCUMENT_CACHE,
  getOrComputeAmong: (_step, _subject, inventory, compute) => compute(inventory),
};
