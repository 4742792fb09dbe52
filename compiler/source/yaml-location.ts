import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar } from 'yaml';
import type { PlacedChild, PlacedNode } from './locate.ts';
import { type AliasTargets, getNodeSpan, isMergeKey } from './yaml-node.ts';

/** A node with its position; a member from an alias or a merge key is located at its own text. */
export function toPlacedNode(node: Node, targets: AliasTargets): PlacedNode {
  const target = isAlias(node) ? targets.get(node) : node;
  return {
    span: getNodeSpan(node),
    child: step => (target === undefined ? undefined : findChild(target, step, targets)),
  };
}

function findChild(node: Node, step: string | number, targets: AliasTargets): PlacedChild | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)] as Node | undefined;
    return item && { node: toPlacedNode(item, targets) };
  }
  if (!isMap(node)) return undefined;
  const pairs = node.items as Pair<Scalar, Node | null>[];
  const own = pairs.find(({ key }) => !isMergeKey(key) && String(key.value) === String(step));
  if (own) return toPlacedChild(own, targets);
  for (const { key, value } of pairs) {
    const found = isMergeKey(key) && value !== null ? findMergedChild(value, step, targets) : undefined;
    if (found) return found;
  }
  return undefined;
}

function findMergedChild(merge: Node, step: string | number, targets: AliasTargets): PlacedChild | undefined {
  const value = isAlias(merge) ? targets.get(merge) : merge;
  const sources = isSeq(value) ? (value.items as Node[]) : [merge];
  for (const source of sources) {
    const child = toPlacedNode(source, targets).child(step);
    if (child) return child;
  }
  return undefined;
}

function toPlacedChild({ key, value }: Pair<Scalar, Node | null>, targets: AliasTargets): PlacedChild {
  const span = getNodeSpan(key);
  if (value !== null && !isEmpty(value)) return { key: span, node: toPlacedNode(value, targets) };
  return { key: span, node: { span: { start: span.end, end: span.end }, child: () => undefined } };
}

function isEmpty(node: Node): boolean {
  return isScalar(node) && node.range?.[0] === node.range?.[1];
}
