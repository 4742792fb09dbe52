import { LRUCache } from 'lru-cache';

/** What is known about texts, as long as they are no more than a number of bytes together: what is known about a text grows with it. */
export function textCache<Known extends NonNullable<unknown>>(maxBytes: number): LRUCache<string, Known> {
  // In memory a code unit takes two bytes at most; the cache takes no size of nothing.
  return new LRUCache({ maxSize: maxBytes, sizeCalculation: (_known, text) => Math.max(1, 2 * text.length) });
}
