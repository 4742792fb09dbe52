import { type DocumentCache, NO_DOCUMENT_CACHE } from '../source/document-cache.ts';
import type { Inventory } from './inventory.ts';

/** What one compilation may take over from the one before. Without changes between the two it is all that there was. */
export interface QueryCache extends DocumentCache {
  /** A result that depends on its subject and on the answers of the inventory. */
  among<T>(step: string, subject: object, inventory: Inventory, compute: (inventory: Inventory) => T): T;
}

/** Takes nothing over. */
export const NO_QUERY_CACHE: QueryCache = {
  ...NO_DOCUMENT_CACHE,
  among: (_step, _subject, inventory, compute) => compute(inventory),
};
