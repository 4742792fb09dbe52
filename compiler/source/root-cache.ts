import { LRUCache } from 'lru-cache';
import type { PlacedNode } from './locate.ts';
import type { SourceText } from './source-text.ts';

/** The documents of a text to locate in, by their index. */
export type Roots = ReadonlyMap<number, PlacedNode>;

/** Texts whose roots are kept because they were asked for last. */
const MAX_RECENT = 16;

/** From this length on, in UTF-16 code units, reading again is too dear and roots are kept. */
const LARGE = 64 * 1024;

/**
 * The places of JSON and of rare YAML. Roots hold many times the memory of their text, and few documents have findings, most
 * of them all of their findings in a row. So a text is read again when places in it are asked for, and its roots are soon let go.
 */
const recent = new LRUCache<SourceText, Roots>({ max: MAX_RECENT });
const large = new WeakMap<SourceText, Roots>();

/** @param read - Reads the text once more, with places. */
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
