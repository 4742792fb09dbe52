/**
 * Partial evaluation: what remains of a policy once the action and the resource are known, while the caller, the arguments and the rest of the
 * context are not. Cedar's own partial evaluation cannot treat the presence of a context attribute as unknown, so Lintel has its own. It folds
 * only what is the same for every request. Tests compare it with Cedar.
 */
import { ANONYMOUS_PRINCIPAL, type EntityUid } from '#shared/plan';
import {
  type BinaryOperator,
  type CedarValueJson,
  createConditional,
  type Expr,
  FALSE,
  formatEntityUid,
  isSameEntity,
  readEntityUid,
  TRUE,
  toEntityExpression,
  toNode,
} from './expression.ts';
import { isWithin, type PartialRequest, SUBJECT } from './partial-request.ts';

/** `fails`: evaluation fails for every caller. */
export type PartialResult = { readonly type: 'residual'; readonly expr: Expr } | { readonly type: 'fails' };

const FAILS = { type: 'fails' } as const;
/** Represents an error inside of a residual: an attribute access on a value that has none. */
const FAILURE: Expr = { '.': { left: { Record: {} }, attr: 'unavailable' } };

export function evaluatePartially(expr: Expr, request: PartialRequest): PartialResult {
  const left = evaluate(expr, request);
  const known = readKnownValue(left);
  if (left === FAILURE || (known !== undefined && typeof known.value !== 'boolean')) return FAILS;
  return { type: 'residual', expr: left };
}

export function isFailure(expr: Expr): boolean {
  return expr === FAILURE;
}

function evaluate(expr: Expr, request: PartialRequest): Expr {
  const node = toNode(expr);
  switch (node.op) {
    case 'Value':
      return expr;
    case 'Var':
      return evaluateVariable(expr, node.name, request);
    case '&&':
    case '||':
      return evaluateJunction(node.op, node.left, node.right, request);
    case '!':
      return negate(evaluate(node.arg, request));
    case 'if':
      return evaluateChoice(node, request);
    case 'has':
      return evaluatePresence(node.left, node.attrs, request);
    case '.':
      return evaluateAccess(node.left, node.attr, request);
    case 'is':
      return evaluateTypeTest(node, request);
    case 'like':
      return evaluateStrictly([node.left], request, ([left = FAILURE]) => {
        const known = readKnownValue(left);
        if (known === undefined) return { like: { left, pattern: [...node.pattern] } };
        return typeof known.value === 'string' ? toBoolExpression(matches(known.value, node.pattern)) : FAILURE;
      });
    case 'neg':
    case 'isEmpty':
      return evaluateStrictly([node.arg], request, ([arg = FAILURE]) => ({ [node.op]: { arg } }) as Expr);
    case 'Set':
      return evaluateStrictly(node.elements, request, elements => {
        const known = elements.map(readKnownValue);
        if (known.some(value => value === undefined)) return { Set: [...elements] };
        return { Value: known.map(value => value?.value as CedarValueJson) };
      });
    case 'Record':
      return evaluateStrictly(Object.values(node.members), request, members => ({
        Record: Object.fromEntries(Object.keys(node.members).map((name, index) => [name, members[index] as Expr])),
      }));
    case 'call':
      return evaluateStrictly(node.args, request, args => ({ [node.name]: [...args] }) as unknown as Expr);
    default:
      return evaluateStrictly([node.left, node.right], request, ([left = FAILURE, right = FAILURE]) =>
        evaluateBinary(node.op as StrictOperator, left, right, request),
      );
  }
}

function evaluateVariable(expr: Expr, name: string, { action, resource, isAnonymous }: PartialRequest): Expr {
  if (name === 'action') return toEntityExpression({ type: 'Action', id: action });
  if (name === 'resource') return toEntityExpression(resource);
  return name === 'principal' && isAnonymous ? toEntityExpression(ANONYMOUS_PRINCIPAL) : expr;
}

/** Evaluates an operator that needs all of its operands: an error in one is an error of the whole. */
function evaluateStrictly(
  operands: readonly Expr[],
  request: PartialRequest,
  combine: (evaluated: readonly Expr[]) => Expr,
): Expr {
  const evaluated = operands.map(operand => evaluate(operand, request));
  return evaluated.includes(FAILURE) ? FAILURE : combine(evaluated);
}

function evaluateJunction(op: '&&' | '||', leftExpr: Expr, rightExpr: Expr, request: PartialRequest): Expr {
  const left = evaluate(leftExpr, request);
  if (left === FAILURE) return FAILURE;
  const decisive = op === '||';
  const known = readKnownValue(left);
  if (known !== undefined) {
    if (known.value === decisive) return toBoolExpression(decisive);
    if (known.value !== !decisive) return FAILURE;
  }
  const right = evaluate(rightExpr, request);
  const settled = readKnownValue(right);
  if (known !== undefined) {
    if (right === FAILURE) return FAILURE;
    if (settled !== undefined) return typeof settled.value === 'boolean' ? right : FAILURE;
    return isBoolean(right) ? right : createJunction(op, left, right);
  }
  if (settled?.value === !decisive && isBoolean(left)) return left;
  return createJunction(op, left, right);
}

function createJunction(op: '&&' | '||', left: Expr, right: Expr): Expr {
  return op === '&&' ? { '&&': { left, right } } : { '||': { left, right } };
}

function negate(arg: Expr): Expr {
  if (arg === FAILURE) return FAILURE;
  const known = readKnownValue(arg);
  if (known === undefined) return { '!': { arg } };
  return typeof known.value === 'boolean' ? toBoolExpression(!known.value) : FAILURE;
}

function evaluateChoice(
  node: { readonly test: Expr; readonly yes: Expr; readonly no: Expr },
  request: PartialRequest,
): Expr {
  const test = evaluate(node.test, request);
  if (test === FAILURE) return FAILURE;
  const known = readKnownValue(test);
  if (known === undefined) {
    return createConditional(test, evaluate(node.yes, request), evaluate(node.no, request));
  }
  if (typeof known.value !== 'boolean') return FAILURE;
  return evaluate(known.value ? node.yes : node.no, request);
}

/** `e has a.b` means `e has a && e.a has b`. */
function evaluatePresence(leftExpr: Expr, attrs: readonly string[], request: PartialRequest): Expr {
  const [attr = '', ...deeper] = attrs;
  if (deeper.length > 0) {
    const below: Expr = { has: { left: { '.': { left: leftExpr, attr } }, attr: deeper as [string] } };
    return evaluateJunction('&&', { has: { left: leftExpr, attr } }, below, request);
  }
  const left = evaluate(leftExpr, request);
  if (left === FAILURE) return FAILURE;
  const holder = readAttributes(left, attr, request);
  if (holder === 'open' && attr === SUBJECT && request.hasSubject && isRequest(left)) return TRUE;
  if (holder === 'open') return { has: { left: asWritten(left, request), attr } };
  return holder === 'none' ? FAILURE : toBoolExpression(Object.hasOwn(holder, attr));
}

function evaluateAccess(leftExpr: Expr, attr: string, request: PartialRequest): Expr {
  const left = evaluate(leftExpr, request);
  if (left === FAILURE) return FAILURE;
  const holder = readAttributes(left, attr, request);
  if (holder === 'open') return { '.': { left: asWritten(left, request), attr } };
  if (holder === 'none' || !Object.hasOwn(holder, attr)) return FAILURE;
  return { Value: holder[attr] as CedarValueJson };
}

/** The attributes in which `expr.attr` is looked up: `open` when only the request has them, `none` when the value has no attributes. */
function readAttributes(
  expr: Expr,
  attr: string,
  request: PartialRequest,
): Readonly<Record<string, CedarValueJson>> | 'open' | 'none' {
  const node = toNode(expr);
  if (node.op === 'Var' && node.name === 'context') {
    return request.isAnonymous && /^claim(set)?_/.test(attr) ? {} : 'open';
  }
  const known = readKnownValue(expr);
  if (known === undefined) return 'open';
  const uid = readEntityUid(known.value);
  if (uid === undefined) return 'none';
  const own = request.entities.get(formatEntityUid(uid))?.attrs ?? {};
  if (isSameEntity(uid, request.resource)) return attr.startsWith('arg_') ? 'open' : { ...own, ...request.attrs };
  const isCaller =
    uid.type === ANONYMOUS_PRINCIPAL.type && !(request.isAnonymous && isSameEntity(uid, ANONYMOUS_PRINCIPAL));
  return isCaller ? 'open' : own;
}

/** Reads from `resource` if the entity is the requested one, because the request may add attributes to it. */
function asWritten(left: Expr, { resource }: PartialRequest): Expr {
  const uid = readEntityUid(readKnownValue(left)?.value);
  return uid !== undefined && isSameEntity(uid, resource) ? { Var: 'resource' } : left;
}

function evaluateTypeTest(
  node: { readonly left: Expr; readonly type: string; readonly in: Expr | undefined },
  request: PartialRequest,
): Expr {
  const left = evaluate(node.left, request);
  if (left === FAILURE) return FAILURE;
  const known = readKnownValue(left);
  const type = isPrincipal(left)
    ? ANONYMOUS_PRINCIPAL.type
    : known === undefined
      ? undefined
      : readEntityUid(known.value)?.type;
  if (known !== undefined && type === undefined) return FAILURE;
  if (type === undefined) {
    const within = node.in === undefined ? {} : { in: evaluate(node.in, request) };
    return { is: { left, entity_type: node.type, ...within } };
  }
  if (type !== node.type) return FALSE;
  return node.in === undefined ? TRUE : evaluate({ in: { left, right: node.in } }, request);
}

type StrictOperator = Exclude<BinaryOperator, '&&' | '||'>;

function evaluateBinary(op: StrictOperator, left: Expr, right: Expr, request: PartialRequest): Expr {
  const residual = { [op]: { left, right } } as unknown as Expr;
  const a = readKnownValue(left);
  const b = readKnownValue(right);
  if (op === '==' || op === '!=') {
    const equal = a !== undefined && b !== undefined ? isSameValue(a.value, b.value) : evaluateInequality(left, right);
    return equal === undefined ? residual : toBoolExpression(equal === (op === '=='));
  }
  if (a === undefined || b === undefined) return residual;
  if (op === 'in') return evaluateMembership(a.value, b.value, request) ?? residual;
  if (op === 'contains') return Array.isArray(a.value) ? toBoolExpression(holds(a.value, b.value)) : FAILURE;
  if (op === 'containsAll' || op === 'containsAny') {
    if (!Array.isArray(a.value) || !Array.isArray(b.value)) return FAILURE;
    const { value: all } = a as { value: readonly CedarValueJson[] };
    return toBoolExpression(b.value[op === 'containsAll' ? 'every' : 'some'](value => holds(all, value)));
  }
  return residual;
}

/** The caller is a Client, so it never equals an entity of another type. Undefined when unknown. */
function evaluateInequality(left: Expr, right: Expr): false | undefined {
  const other = isPrincipal(left) ? right : isPrincipal(right) ? left : undefined;
  const known = other === undefined ? undefined : readKnownValue(other);
  if (known === undefined) return undefined;
  return readEntityUid(known.value)?.type === ANONYMOUS_PRINCIPAL.type ? undefined : false;
}

function evaluateMembership(
  value: CedarValueJson,
  container: CedarValueJson,
  request: PartialRequest,
): Expr | undefined {
  const uid = readEntityUid(value);
  const ancestors = (Array.isArray(container) ? container : [container]).map(readEntityUid);
  if (uid === undefined || ancestors.includes(undefined)) return FAILURE;
  // The groups of a named Client depend on the request.
  const isOpen = uid.type === ANONYMOUS_PRINCIPAL.type && !(request.isAnonymous && uid.id === ANONYMOUS_PRINCIPAL.id);
  return isOpen
    ? undefined
    : toBoolExpression(ancestors.some(ancestor => isWithin(uid, ancestor as EntityUid, request)));
}

function matches(text: string, pattern: readonly ('Wildcard' | { readonly Literal: string })[]): boolean {
  // The offsets in the text that the pattern can reach so far.
  let reached = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === 'Wildcard') for (let end = at; end <= text.length; end += 1) next.add(end);
      else if (text.startsWith(part.Literal, at)) next.add(at + part.Literal.length);
      if (part === 'Wildcard') break;
    }
    reached = next;
  }
  return reached.has(text.length);
}

/** The value of an expression without unknown parts. Inexact numbers, records and extension values are left to Cedar. */
export function readKnownValue(expr: Expr): { readonly value: CedarValueJson } | undefined {
  if (!('Value' in expr)) return undefined;
  const { Value: value } = expr;
  return isPlain(value) ? { value } : undefined;
}

function isPlain(value: CedarValueJson): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value === 'number') return Number.isSafeInteger(value);
  return typeof value === 'boolean' || typeof value === 'string' || readEntityUid(value) !== undefined;
}

function isSameValue(a: CedarValueJson, b: CedarValueJson): boolean {
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) && Array.isArray(b) && a.every(value => holds(b, value)) && b.every(value => holds(a, value))
    );
  }
  const [left, right] = [readEntityUid(a), readEntityUid(b)];
  if (left === undefined || right === undefined) return left === right && a === b;
  return isSameEntity(left, right);
}

function holds(set: readonly CedarValueJson[], value: CedarValueJson): boolean {
  return set.some(element => isSameValue(element, value));
}

function isRequest(expr: Expr): boolean {
  const node = toNode(expr);
  return node.op === 'Var' && (node.name === 'principal' || node.name === 'context');
}

function isPrincipal(expr: Expr): boolean {
  const node = toNode(expr);
  return node.op === 'Var' && node.name === 'principal';
}

const BOOLEAN: ReadonlySet<string> = new Set(
  '! && || == != < <= > >= in has like is contains containsAll containsAny isEmpty hasTag'.split(' '),
);

/** Whether an expression is Boolean whenever its evaluation succeeds. */
export function isBoolean(expr: Expr): boolean {
  const node = toNode(expr);
  return BOOLEAN.has(node.op) || (node.op === 'Value' && typeof node.value === 'boolean');
}

function toBoolExpression(value: boolean): Expr {
  return value ? TRUE : FALSE;
}
