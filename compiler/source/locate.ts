import type { Range } from '../diagnostics/diagnostic.ts';
import type { Span } from './problem.ts';
import type { Path } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A parsed value with its position. An empty value has an empty span. */
export type PlacedNode = {
  readonly span: Span;
  /** A member or item; `undefined` when missing. */
  child(step: string | number): PlacedChild | undefined;
};

/** A value within another one; list items have no key. */
export type PlacedChild = { readonly key?: Span; readonly node: PlacedNode };

/** Implements `SourceDocument.locate`; see there. */
export function locate(source: SourceText, root: PlacedNode, path: Path, at: 'key' | 'value'): Range {
  let key: Span | undefined;
  let node = root;
  for (const step of path) {
    const child = node.child(step);
    if (!child) return toRange(source, key ?? takeFirstLine(source, node.span));
    key = child.key;
    node = child.node;
  }
  const isEmpty = node.span.end <= node.span.start;
  return toRange(source, at === 'key' || isEmpty ? (key ?? node.span) : node.span);
}

function toRange(source: SourceText, { start, end }: Span): Range {
  return source.range(start, end);
}

function takeFirstLine(source: SourceText, { start, end }: Span): Span {
  const { text } = source;
  const lineEnd = text.indexOf('\n', start);
  if (lineEnd === -1 || lineEnd >= end) return { start, end };
  return { start, end: text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd };
}
