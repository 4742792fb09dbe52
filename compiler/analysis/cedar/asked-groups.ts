import type { EntityUid } from '#schemas';
import { type Expr, isSameEntity, listOperands, readEntityUid, toNode } from './expression.ts';

/** The groups whose membership a policy tests, as in `principal in Group::"eng"`; each once. */
export function askedGroups(condition: Expr, groupType: string): readonly EntityUid[] {
  const groups = askedIn(condition).filter(({ type }) => type === groupType);
  return groups.filter((group, index) => groups.findIndex(other => isSameEntity(group, other)) === index);
}

function askedIn(expr: Expr): readonly EntityUid[] {
  const node = toNode(expr);
  const below = listOperands(node).flatMap(askedIn);
  if (node.op === 'in' && isPrincipal(node.left)) return [...entitiesOf(node.right), ...below];
  if (node.op === 'is' && node.in !== undefined && isPrincipal(node.left)) return [...entitiesOf(node.in), ...below];
  return below;
}

function isPrincipal(expr: Expr): boolean {
  const node = toNode(expr);
  return node.op === 'Var' && node.name === 'principal';
}

/** The literal entities: one, or a set. */
function entitiesOf(expr: Expr): readonly EntityUid[] {
  const node = toNode(expr);
  if (node.op === 'Set') return node.elements.flatMap(entitiesOf);
  const uid = node.op === 'Value' ? readEntityUid(node.value) : undefined;
  return uid === undefined ? [] : [uid];
}
