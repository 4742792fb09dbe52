/**
 * Transforms a policy for lists, where arguments are not known. The result favours the caller: a list shows everything that some arguments
 * permit. An evaluation error denies, so the transformed policy fails only where the original fails with all arguments. A property test
 * compares it with Cedar.
 */
import type { CedarEntityPlan } from '#schemas';
import {
  createConditional,
  type Expr,
  FALSE,
  listOperands,
  type Node,
  readEntityUid,
  TRUE,
  toNode,
} from './expression.ts';
import { print } from './print.ts';

/** The policy for lists. Undefined for a policy that reads no arguments, which lists use unchanged. */
export function formatForLists(
  effect: 'permit' | 'forbid',
  condition: Expr,
  entities: readonly CedarEntityPlan[],
): string | undefined {
  if (!looksAtArguments(condition)) return undefined;
  const favourable = new PolicyRewriter(entities).computeBound(condition, effect === 'permit');
  const when = isTrue(favourable) ? '' : ` when { ${print(favourable)} }`;
  return `${effect}(principal, action, resource)${when};`;
}

/** Prefix of the attributes that arguments become. */
const ARGUMENT = 'arg_';

/** Attributes that are always strings, unless an entity of the spec declares otherwise. */
const TEXTS = ['name', 'uri', 'operation', 'feature', 'claim_sub'];

/**
 * Whether an expression reads arguments: an attribute named like one, on any value, or the context as a whole, as in `context == {}`. The resource as
 * a whole does not count: entities are equal when their ids are.
 */
function looksAtArguments(expr: Expr): boolean {
  return isOrHolds(expr, LOOKS_AT_ARGUMENTS, node => {
    if (node.op === 'Var') return node.name === 'context';
    if (node.op === '.') return node.attr.startsWith(ARGUMENT);
    return node.op === 'has' && node.attrs.some(attr => attr.startsWith(ARGUMENT));
  });
}

/** Whether an expression contains an integer that JSON.parse has rounded, so that it cannot be printed exactly. */
function isRounded(expr: Expr): boolean {
  return isOrHolds(
    expr,
    IS_ROUNDED,
    node => node.op === 'Value' && typeof node.value === 'number' && !Number.isSafeInteger(node.value),
  );
}

/** Expressions that cannot occur in a policy for lists. */
function isOpen(expr: Expr): boolean {
  return looksAtArguments(expr) || isRounded(expr);
}

/** Results for each subexpression of a policy. */
type KnownAnswers = WeakMap<Expr, boolean>;
const LOOKS_AT_ARGUMENTS: KnownAnswers = new WeakMap();
const IS_ROUNDED: KnownAnswers = new WeakMap();

/**
 * Whether the expression or a subexpression has the property. Reading an attribute of the context does not count as reading the whole context.
 */
function isOrHolds(expr: Expr, known: KnownAnswers, isSo: (node: Node) => boolean): boolean {
  const before = known.get(expr);
  if (before !== undefined) return before;
  const node = toNode(expr);
  const isRead = (node.op === '.' || node.op === 'has') && isRoot(node.left);
  const found = isSo(node) || (!isRead && listOperands(node).some(operand => isOrHolds(operand, known, isSo)));
  known.set(expr, found);
  return found;
}

class PolicyRewriter {
  readonly #texts: ReadonlySet<string>;

  constructor(entities: readonly CedarEntityPlan[]) {
    const isText = (name: string) =>
      entities.every(({ attrs }) => ['undefined', 'string'].includes(typeof attrs[name]));
    this.#texts = new Set(TEXTS.filter(isText));
  }

  /**
   * A bound of the expression that does not use arguments. With `upper` it is true where some arguments make the original true; otherwise it is
   * false where some arguments make the original false. Where the original can be evaluated with some arguments, so can the bound.
   */
  computeBound(expr: Expr, upper: boolean): Expr {
    if (!isOpen(expr)) return expr;
    const node = toNode(expr);
    switch (node.op) {
      case '!':
        return negate(this.computeBound(node.arg, !upper));
      case '&&':
      case '||': {
        // The arguments may decide whether the right operand is evaluated at all, so the bound of the right operand must not fail.
        const mayStop = upper === (node.op === '&&') && isOpen(node.left);
        const right = mayStop ? this.#computeSafeBound(node.right, upper) : this.computeBound(node.right, upper);
        return buildJunction(node.op, this.computeBound(node.left, upper), right);
      }
      case 'if':
        return isOpen(node.test)
          ? boundBranches(this.#computeSafeBound(node.yes, upper), this.#computeSafeBound(node.no, upper), upper)
          : createConditional(node.test, this.computeBound(node.yes, upper), this.computeBound(node.no, upper));
      default:
        return toConstant(upper);
    }
  }

  /** Does the same as {@link computeBound} for a subexpression that the original may not evaluate: the result never fails. */
  #computeSafeBound(expr: Expr, upper: boolean): Expr {
    const node = toNode(expr);
    switch (node.op) {
      case '!':
        return negate(this.#computeSafeBound(node.arg, !upper));
      case '&&':
      case '||':
        return buildJunction(
          node.op,
          this.#computeSafeBound(node.left, upper),
          this.#computeSafeBound(node.right, upper),
        );
      case 'if': {
        const [yes, no] = [this.#computeSafeBound(node.yes, upper), this.#computeSafeBound(node.no, upper)];
        const guards = isOpen(node.test) || !isTruthValue(node.test) ? undefined : this.#guards(node.test);
        return guards?.length === 0 ? createConditional(node.test, yes, no) : boundBranches(yes, no, upper);
      }
      default: {
        const guards = isOpen(expr) ? undefined : this.#guards(expr);
        if (guards === undefined) return toConstant(upper);
        // Comparing with true makes any value Boolean.
        const test: Expr = isTruthValue(expr) ? expr : { '==': { left: expr, right: TRUE } };
        return guards.reduceRight<Expr>((right, left) => buildJunction('&&', left, right), test);
      }
    }
  }

  /** The conditions, in order, under which an expression evaluates without an error; undefined when they are unknown. */
  #guards(expr: Expr): readonly Expr[] | undefined {
    const node = toNode(expr);
    switch (node.op) {
      case 'Value':
      case 'Var':
        return [];
      case '.':
        return isRoot(node.left) ? [{ has: { left: node.left, attr: node.attr } }] : undefined;
      case 'has':
        return isRoot(node.left) && node.attrs.length === 1 ? [] : undefined;
      case 'is':
        return isRoot(node.left) && (node.in === undefined || isConstant(node.in)) ? [] : undefined;
      case 'in':
        return isRoot(node.left) && isConstant(node.right) ? [] : undefined;
      case '==':
      case '!=':
        return this.#listGuards([node.left, node.right]);
      case 'like':
        return this.#isText(node.left) ? this.#guards(node.left) : undefined;
      case 'contains':
        return this.#isSet(node.left) ? this.#listGuards([node.left, node.right]) : undefined;
      case 'containsAll':
      case 'containsAny':
        return this.#isSet(node.left) && this.#isSet(node.right)
          ? this.#listGuards([node.left, node.right])
          : undefined;
      case 'isEmpty':
        return this.#isSet(node.arg) ? this.#guards(node.arg) : undefined;
      case 'Set':
        return this.#listGuards(node.elements);
      case 'Record':
        return this.#listGuards(Object.values(node.members));
      default:
        return undefined;
    }
  }

  #listGuards(exprs: readonly Expr[]): readonly Expr[] | undefined {
    const all = exprs.map(expr => this.#guards(expr));
    return all.every(guards => guards !== undefined) ? all.flat() : undefined;
  }

  #isText(expr: Expr): boolean {
    const node = toNode(expr);
    return node.op === '.' && isRoot(node.left) && this.#texts.has(node.attr);
  }

  #isSet(expr: Expr): boolean {
    const node = toNode(expr);
    return node.op === 'Set' || (node.op === 'Value' && Array.isArray(node.value));
  }
}

/** The variables of a request: entities, or the record of the context. */
function isRoot(expr: Expr): boolean {
  return toNode(expr).op === 'Var';
}

/** A literal entity, or a literal set of entities. */
function isConstant(expr: Expr): boolean {
  const node = toNode(expr);
  if (node.op === 'Set') return node.elements.every(isConstant);
  return node.op === 'Value' && readEntityUid(node.value) !== undefined;
}

function isTruthValue(expr: Expr): boolean {
  const node = toNode(expr);
  return TRUTH_VALUES.has(node.op) || (node.op === 'Value' && typeof node.value === 'boolean');
}

/** Boolean operators whose operands {@link PolicyRewriter} keeps. */
const TRUTH_VALUES: ReadonlySet<string> = new Set([
  '==',
  '!=',
  'in',
  'has',
  'is',
  'like',
  'contains',
  'containsAll',
  'containsAny',
  'isEmpty',
]);

function toConstant(value: boolean): Expr {
  return value ? TRUE : FALSE;
}

function isTrue(expr: Expr): boolean {
  return getKnownValue(expr) === true;
}

function getKnownValue(expr: Expr): unknown {
  const node = toNode(expr);
  return node.op === 'Value' ? node.value : undefined;
}

function negate(arg: Expr): Expr {
  const value = getKnownValue(arg);
  return typeof value === 'boolean' ? toConstant(!value) : { '!': { arg } };
}

/** Joins two conditions and folds constants. A right operand that decides alone is kept when the left one may fail. */
function buildJunction(op: '&&' | '||', left: Expr, right: Expr): Expr {
  const neutral = op === '&&';
  if (getKnownValue(left) === neutral) return right;
  if (getKnownValue(left) === !neutral) return left;
  if (getKnownValue(right) === neutral) return left;
  return op === '&&' ? { '&&': { left, right } } : { '||': { left, right } };
}

/** The arguments may decide which of the two branches is evaluated. */
function boundBranches(yes: Expr, no: Expr, upper: boolean): Expr {
  return buildJunction(upper ? '||' : '&&', yes, no);
}
