import { createConditional, type Expr, listOperands, toNode } from '../../../cedar/expression.ts';

/** Maximum number of choices that are moved in one condition: each doubles the expression around it. */
const MAX_MOVES = 64;

/**
 * Moves each `if` out of the operators that need its value: `(if a then b else c) == d` becomes `if a then b == d else c == d`. Cedar
 * evaluates one branch, so an error of the other one counts for nothing. In a condition with too many choices, the remaining ones stay
 * where they are.
 */
export function liftChoices(condition: Expr): Expr {
  let moves = 0;
  const lift = (expr: Expr): Expr => {
    const lifted = mapOperands(expr, lift);
    const node = toNode(lifted);
    if (node.op === 'if' || node.op === '&&' || node.op === '||' || node.op === '!') return lifted;
    const operands = listOperands(node);
    const at = operands.findIndex(operand => toNode(operand).op === 'if');
    const choice = at < 0 || moves >= MAX_MOVES ? undefined : toNode(operands[at] as Expr);
    if (choice?.op !== 'if') return lifted;
    moves += 1;
    const replace = (branch: Expr) => {
      let index = -1;
      return mapOperands(lifted, operand => {
        index += 1;
        return index === at ? branch : operand;
      });
    };
    return createConditional(choice.test, lift(replace(choice.yes)), lift(replace(choice.no)));
  };
  return lift(condition);
}

/** The same operator with other operands, which are passed in the order of `listOperands`. */
function mapOperands(expr: Expr, map: (operand: Expr) => Expr): Expr {
  const node = toNode(expr);
  const [op = ''] = Object.keys(expr);
  const body = (expr as Readonly<Record<string, unknown>>)[op];
  switch (node.op) {
    case 'Value':
    case 'Var':
      return expr;
    case 'if':
      return createConditional(map(node.test), map(node.yes), map(node.no));
    case 'Set':
      return { [op]: node.elements.map(map) } as unknown as Expr;
    case 'call':
      return { [op]: node.args.map(map) } as unknown as Expr;
    case 'Record':
      return {
        [op]: Object.fromEntries(Object.entries(node.members).map(([name, value]) => [name, map(value)])),
      } as unknown as Expr;
    default: {
      const parts = body as Readonly<Record<string, Expr>>;
      const operands = ['left', 'right', 'arg', 'in'].flatMap(name => {
        const operand = parts[name];
        return operand === undefined ? [] : [[name, map(operand)] as const];
      });
      return { [op]: { ...parts, ...Object.fromEntries(operands) } } as unknown as Expr;
    }
  }
}
