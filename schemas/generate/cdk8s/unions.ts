/** Finds the fields of an object that become unions, from the rules of its schema. */
import type { StructuralSchema } from '../structural-schema.ts';
import { type Branch, computeBranches } from './branches.ts';
import { COMPILER_RULES } from './compiler-rules.ts';
import { collectPaths, type Formula, NoFormulaError, parseFormula } from './formula.ts';
import { UNTYPED_RULES } from './untyped-rules.ts';

/** Fields whose allowed values depend on each other. */
export interface Union {
  /** Direct fields of the object, in its order. */
  readonly fields: readonly string[];
  /** The allowed combinations of the fields; a single one when the rules only make a field required. */
  readonly branches: readonly Branch[];
}

/** The maximum number of branches: with more, the type checker's errors are unreadable. */
const MAX_BRANCHES = 12;

/**
 * The unions of an object; a field that no rule connects to another is in none.
 *
 * @throws Error when a rule is neither understood nor listed as left to the compiler
 */
export function findUnions(schema: StructuralSchema): Union[] {
  const order = Object.keys(schema.properties ?? {});
  return listConnected(listRules(schema).flatMap(rule => listTypedFormulas(schema, rule)))
    .map(formulas => {
      const named = new Set(formulas.flatMap(collectPaths).map(([first]) => first));
      const branches = computeBranches(schema, formulas);
      if (branches.length > MAX_BRANCHES)
        throw new Error(`${schema.title}: ${branches.length} branches for ${[...named].join(', ')}`);
      return { fields: order.filter(name => named.has(name)), branches };
    })
    .sort((one, other) => order.indexOf(one.fields[0] ?? '') - order.indexOf(other.fields[0] ?? ''));
}

/** The rules of an object: those in the CRD, then those that only the compiler checks. */
export function listRules(schema: StructuralSchema): string[] {
  return [
    ...(schema['x-kubernetes-validations'] ?? []).map(({ rule }) => rule),
    ...(COMPILER_RULES[schema.title ?? ''] ?? []),
  ];
}

function listTypedFormulas(schema: StructuralSchema, rule: string): Formula[] {
  if (UNTYPED_RULES[rule] !== undefined) return [];
  try {
    return [parseFormula(rule)];
  } catch (error) {
    if (!(error instanceof NoFormulaError)) throw error;
    throw new Error(`${schema.title}: a rule is no union that we know; teach formula.ts or list it: ${error.message}`);
  }
}

/** Groups formulas: those that share a field are in the same group. */
function listConnected(formulas: readonly Formula[]): Formula[][] {
  let groups: { readonly formulas: Formula[]; readonly fields: ReadonlySet<string | undefined> }[] = [];
  for (const formula of formulas) {
    const fields = new Set(collectPaths(formula).map(([first]) => first));
    const touching = groups.filter(group => [...group.fields].some(field => fields.has(field)));
    groups = [
      ...groups.filter(group => !touching.includes(group)),
      {
        formulas: [...touching.flatMap(group => group.formulas), formula],
        fields: new Set([...touching.flatMap(group => [...group.fields]), ...fields]),
      },
    ];
  }
  return groups.map(group => group.formulas);
}
