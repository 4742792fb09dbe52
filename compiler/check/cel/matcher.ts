/**
 * Matchers: Boolean CEL expressions over the claims of a token. They are parsed and type-checked here, never evaluated. Only this file imports
 * the library.
 */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { evaluate } from './evaluator.ts';

/** Maximum length of a matcher in UTF-16 code units. `actorMatcher` has this bound in its schema; role mappings of AWS have none. */
export const MAX_MATCHER_LENGTH = 4096;

export interface MatcherProblem {
  /**
   * What is wrong with the matcher: `wrong`: it cannot work. `unbound`: it uses an unknown variable. `untyped`: its type is known only at run time.
   * `unchecked`: it uses functions that are unknown here.
   */
  readonly is: 'wrong' | 'unbound' | 'untyped' | 'unchecked';
  readonly message: string;
  /** Offset and length within the expression, in UTF-16 code units. */
  readonly at: readonly [offset: number, length: number];
}

/** A claim may have any JSON type, and a list may have items of several types, as CEL allows. */
const ENVIRONMENT = new Environment({
  unlistedVariablesAreDyn: false,
  homogeneousAggregateLiterals: false,
}).registerVariable('claims', 'map<string, dyn>');

const FUNCTIONS: ReadonlySet<string> = new Set(ENVIRONMENT.getDefinitions().functions.map(({ name }) => name));

/** All problems of a matcher. Never throws. */
export function findMatcherProblems(text: string): readonly MatcherProblem[] {
  const whole = [0, text.length] as const;
  if (text.length > MAX_MATCHER_LENGTH) {
    const message = `the expression has more than ${MAX_MATCHER_LENGTH} characters`;
    return [{ is: 'unchecked', message, at: whole }];
  }
  try {
    const parts = [...walkNodes(ENVIRONMENT.parse(text).ast)];
    const unknown = findUnknownFunctions(parts);
    const { valid, type, error } = ENVIRONMENT.check(text);
    // The result type of an unknown function is unknown too, so an error about types may be wrong.
    if (unknown.length > 0 && error?.code !== 'unknown_variable') return unknown;
    if (error !== undefined) return [...unknown, toProblem(error, whole)];
    const patterns = findBadPatterns(parts);
    if (patterns.length > 0 || !valid || type === 'bool') return patterns;
    if (type === 'dyn') {
      const message =
        'the type of this value is not known, so it may be neither true nor false: compare it with a value';
      return [{ is: 'untyped', message, at: whole }];
    }
    return [{ is: 'wrong', message: `the expression must be true or false, and is of type ${type}`, at: whole }];
  } catch (error) {
    return [toProblem(error, whole)];
  }
}

function toProblem(error: unknown, whole: MatcherProblem['at']): MatcherProblem {
  const { code, summary, range } = error as { code?: string; summary?: string; range?: { start: number; end: number } };
  const at = range === undefined ? whole : ([range.start, Math.max(0, range.end - range.start)] as const);
  if (code === undefined || code === 'limit_exceeded') {
    // Deep nesting exhausts the stack or a limit of the library.
    return { is: 'unchecked', message: 'the expression is nested too deep or too large', at: whole };
  }
  const is = code === 'unknown_variable' ? 'unbound' : 'wrong';
  return { is, message: lowerFirst(summary ?? 'the expression cannot be read'), at };
}

function findUnknownFunctions(parts: readonly ASTNode[]): MatcherProblem[] {
  const seen = new Set<string>();
  return parts.flatMap(node => {
    if ((node.op !== 'call' && node.op !== 'rcall') || FUNCTIONS.has(node.args[0]) || seen.has(node.args[0])) return [];
    seen.add(node.args[0]);
    const message = `the function ${node.args[0]}() is not known here`;
    return [{ is: 'unchecked', message, at: [node.start, node.end - node.start] }];
  });
}

/** Finds invalid patterns by matching each literal pattern against an empty text: RE2, which does so, is safe for any pattern. */
function findBadPatterns(parts: readonly ASTNode[]): MatcherProblem[] {
  return parts.flatMap(node => {
    if ((node.op !== 'call' && node.op !== 'rcall') || node.args[0] !== 'matches') return [];
    const pattern = node.op === 'rcall' ? node.args[2][0] : node.args[1][1];
    if (pattern?.op !== 'value' || typeof pattern.args !== 'string') return [];
    if (evaluate(`"".matches(${JSON.stringify(pattern.args)})`, null).is !== 'error') return [];
    const message = 'RE2, whose regular expressions CEL uses, does not know this pattern';
    return [{ is: 'wrong', message, at: [pattern.start, pattern.end - pattern.start] }];
  });
}

function* walkNodes(node: ASTNode): Generator<ASTNode> {
  yield node;
  for (const argument of [node.args].flat(3)) if (isNode(argument)) yield* walkNodes(argument);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
