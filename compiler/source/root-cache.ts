import { LRUCache } from 'lru-cache';
import type { PlacedNode } from './locate.ts';
import type { SourceText } from './source-text.ts';

/** The documents of a text by index, for locating values. */
export type Roots = ReadonlyMap<number, PlacedNode>;

/** Maximum number of recently used texts whose trees are cached. */
const MAX_RECENT = 16;

/** From this length in UTF-16 code units, parsing again is too slow and trees are kept. */
const LARGE = 64 * 1024;

/**
 * Trees for positions in JSON and in YAML that only the full reader handles. A tree takes many times the memory of its text, few documents have
 * findings, and findings of one document are usually located together. So a text is parsed again when positions are needed, and its tree is
 * dropped soon.
 */
const recent = new LRUCache<SourceText, Roots>({ max: MAX_RECENT });
const large = new WeakMap<SourceText, Roots>();

/** @param read - Parses the text again, with positions. */
export function getRoot(source: SourceText, index: number, read: (source: SourceText) => Roots): PlacedNode {
  const root = getRoots(source, read).get(index);
  if (root === undefined) throw new Error(`document ${index} of ${source.file} was not found again`);
  return root;
}

function getRoots(source: SourceText, read: (source: SourceText) => Roots): Roots {
  const known = recent.get(source) ?? large.get(source);
  if (known !== undefined) return known;
  const roots = read(source);
  if (source.text.length >= LARGE) large.set(source, roots);
  else recent.set(source, roots);
  return roots;
}
