/** Finds names that a rule uses and the environment lacks. They are found before evaluation, because `||` may hide an error. */
import type { CelEnv, parse } from '@bufbuild/cel';

type Expr = ReturnType<typeof parse>['expr'];

/** Operators that are missing in `funcs`, because the planner of the CEL library evaluates them itself. */
const OPERATORS: ReadonlySet<string> = new Set([
  '_[_]',
  '_?_:_',
  '_&&_',
  '_||_',
  '@not_strictly_false',
  '__not_strictly_false__',
]);

const TYPES: ReadonlySet<string> = new Set(
  'bool bytes double dyn int list map null_type string type uint google'.split(' '),
);

export interface Needs {
  /** Unknown names that the rule uses, each once. */
  readonly missing: readonly string[];
  /** Whether the rule compares with the old object. */
  readonly isTransition: boolean;
}

/** Visits the whole rule, also the operands that an evaluation would skip. */
export function collectNeeds(expr: Expr, { funcs }: CelEnv): Needs {
  const names = new Set<string>();
  const bound = new Set(['self', 'oldSelf', ...TYPES]);
  const missing = new Set<string>();
  const visit = (node: Expr | undefined): void => {
    const kind = node?.exprKind;
    switch (kind?.case) {
      case 'identExpr':
        names.add(kind.value.name);
        break;
      case 'selectExpr':
        visit(kind.value.operand);
        break;
      case 'listExpr':
        kind.value.elements.forEach(visit);
        break;
      case 'structExpr':
        if (kind.value.messageName !== '') missing.add(kind.value.messageName);
        for (const { keyKind, value } of kind.value.entries) {
          if (keyKind.case === 'mapKey') visit(keyKind.value);
          visit(value);
        }
        break;
      case 'comprehensionExpr': {
        const { iterVar, iterVar2, accuVar, iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
        for (const name of [iterVar, iterVar2, accuVar]) bound.add(name);
        [iterRange, accuInit, loopCondition, loopStep, result].forEach(visit);
        break;
      }
      case 'callExpr': {
        const { target, args, function: name } = kind.value;
        const namespace = target?.exprKind.case === 'identExpr' ? target.exprKind.value.name : undefined;
        const isQualified = namespace !== undefined && funcs.find(`${namespace}.${name}`) !== undefined;
        if (!isQualified && !OPERATORS.has(name) && funcs.find(name) === undefined) missing.add(`${name}()`);
        if (!isQualified) visit(target);
        args.forEach(visit);
      }
    }
  };
  visit(expr);
  for (const name of names) if (!bound.has(name)) missing.add(name);
  return { missing: [...missing], isTransition: names.has('oldSelf') };
}
