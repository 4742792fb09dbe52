import { LRUCache } from 'lru-cache';

/** Caches results about texts, up to a total size of the texts in bytes: a result grows with its text. */
export function createTextCache<Known extends NonNullable<unknown>>(maxBytes: number): LRUCache<string, Known> {
  // A code unit takes at most two bytes in memory. The cache refuses a size of zero.
  return new LRUCache({ maxSize: maxBytes, sizeCalculation: (_known, text) => Math.max(1, 2 * text.length) });
}
