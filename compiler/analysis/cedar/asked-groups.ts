import type { EntityUid } from '#shared/plan';
import { type Expr, isSameEntity, listOperands, readEntityUid, toNode } from './expression.ts';

/** The groups whose membership a policy tests, as in `principal in Group::"eng"`; each once. */
export function listGroupTests(condition: Expr, groupType: string): readonly EntityUid[] {
  const groups = listGroupTestsIn(condition).filter(({ type }) => type === groupType);
  return groups.filter((group, index) => groups.findIndex(other => isSameEntity(group, other)) === index);
}

function listGroupTestsIn(expr: Expr): readonly EntityUid[] {
  const node = toNode(expr);
  const below = listOperands(node).flatMap(listGroupTestsIn);
  if (node.op === 'in' && isPrincipal(node.left)) return [...listEntities(node.right), ...below];
  if (node.op === 'is' && node.in !== undefined && isPrincipal(node.left)) return [...listEntities(node.in), ...below];
  return below;
}

function isPrincipal(expr: Expr): boolean {
  const node = toNode(expr);
  return node.op === 'Var' && node.name === 'principal';
}

/** The entity literals of an operand: a single entity or a set. */
function listEntities(expr: Expr): readonly EntityUid[] {
  const node = toNode(expr);
  if (node.op === 'Set') return node.elements.flatMap(listEntities);
  const uid = node.op === 'Value' ? readEntityUid(node.value) : undefined;
  return uid === undefined ? [] : [uid];
}
