import { listAttributeUses } from './attribute-uses.ts';
import type { Expr } from './expression.ts';
import type { ParsedPolicy } from './parse-policies.ts';

/** Whether a policy's result depends on the caller. */
export function dependsOnPrincipal({ condition }: Pick<ParsedPolicy, 'condition'>): boolean {
  return (
    mentionsVariable(condition, 'principal') ||
    listAttributeUses(condition).some(({ of, attr }) => of === 'context' && /^claim(set)?_/.test(attr))
  );
}

function mentionsVariable(expr: Expr, variable: string): boolean {
  return JSON.stringify(expr).includes(`{"Var":"${variable}"}`);
}
