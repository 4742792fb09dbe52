import { type Expr, formatEntityUid, readEntityUid, toNode } from './expression.ts';
import type { ParsedPolicy } from './parse-policies.ts';
import { type Sense, visitTests } from './visit-tests.ts';

/** The entities that a policy names, such as `Tool::"search"`. The value says whether the policy permits or refuses a call of the entity. */
export function collectEntitySenses(policy: ParsedPolicy): ReadonlyMap<string, Sense> {
  const senses = new Map<string, Sense>();
  visitTests(policy, (node, sense) => {
    if (!('left' in node)) return;
    const right = 'right' in node ? node.right : node.op === 'is' ? node.in : undefined;
    for (const key of [node.left, ...(right === undefined ? [] : [right])].flatMap(listEntities)) {
      const known = senses.get(key);
      senses.set(key, known === undefined || known === sense ? sense : 'either');
    }
  });
  return senses;
}

function listEntities(expr: Expr): readonly string[] {
  const node = toNode(expr);
  if (node.op === 'Set') return node.elements.flatMap(listEntities);
  const uid = node.op === 'Value' ? readEntityUid(node.value) : undefined;
  return uid === undefined ? [] : [formatEntityUid(uid)];
}
