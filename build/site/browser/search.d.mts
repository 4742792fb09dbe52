import type { SearchDocument } from '../search-documents.ts';

export interface SearchIndex {
  readonly documentCount: number;
}

export function createIndex(documents: readonly SearchDocument[]): SearchIndex;

/** Best match first; `id` is the address of a document. */
export function find(index: SearchIndex, query: string): readonly { readonly id: string }[];

export function start(documents: readonly SearchDocument[]): void;
