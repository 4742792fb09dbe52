/** What the tests of a policy do to its callers: a name in one test lets callers in, in another it keeps them out. */
import { type Expr, listOperands, type Node, toNode } from './expression.ts';
import type { ParsedPolicy } from './parse-policies.ts';

/** Whether more calls or fewer are let through where the test holds. */
export type Sense = 'opens' | 'closes' | 'either';

/** Visits all parts of the condition; what a test compares comes before the test. */
export function visitTests(
  { json, condition }: Pick<ParsedPolicy, 'json' | 'condition'>,
  visit: (node: Node, sense: Sense) => void,
): void {
  descend(condition, json.effect === 'permit' ? 'opens' : 'closes', visit);
}

function descend(expr: Expr, sense: Sense, visit: (node: Node, sense: Sense) => void): void {
  const node = toNode(expr);
  switch (node.op) {
    case '&&':
    case '||':
      descend(node.left, sense, visit);
      descend(node.right, sense, visit);
      return;
    case '!':
      descend(node.arg, invertSense(sense), visit);
      return;
    case 'if':
      descend(node.test, 'either', visit);
      descend(node.yes, sense, visit);
      descend(node.no, sense, visit);
      return;
    default:
      for (const operand of listOperands(node)) descend(operand, 'either', visit);
      visit(node, node.op === '!=' ? invertSense(sense) : sense);
  }
}

function invertSense(sense: Sense): Sense {
  return sense === 'opens' ? 'closes' : sense === 'closes' ? 'opens' : 'either';
}
