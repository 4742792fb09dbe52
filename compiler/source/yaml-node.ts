import { type Alias, isCollection, isPair, isScalar, type Node, type Pair, Scalar } from 'yaml';
import type { Span } from './problem.ts';

/** The target node of each alias. */
export type AliasTargets = ReadonlyMap<Alias, Node>;

/** Whether a key is the merge key; a quoted `"<<"` is data. */
export function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === Scalar.PLAIN;
}

/** The range of a node, without anchor and tag and, for a block collection, without anything behind its last value. */
export function getNodeSpan(node: Node): Span {
  const [start, end] = node.range ?? [0, 0];
  if (!isCollection(node) || node.flow) return { start, end };
  const last = node.items.at(-1);
  if (isPair(last)) return { start, end: endOfPair(last as Pair<Node, Node | null>, start) };
  return { start, end: last === undefined ? end : Math.max(start, getNodeSpan(last as Node).end) };
}

function endOfPair({ key, value }: Pair<Node, Node | null>, start: number): number {
  return Math.max(start, getNodeSpan(key).end, value === null ? 0 : getNodeSpan(value).end);
}
