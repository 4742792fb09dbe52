/**
 * When evaluating a residual fails. A gateway denies on any evaluation error, so a policy that may fail takes away access that other policies
 * permit.
 */

import { isBoolean, isFailure, readKnownValue } from './evaluate-partially.ts';
import { type BinaryOperator, type Expr, FALSE, type Node, toNode } from './expression.ts';
import { SUBJECT } from './partial-request.ts';
import { print } from './print.ts';

/** The condition under which evaluation fails, as text; empty when it always fails. */
export type Failure = string;

/** Attributes that certainly exist when an expression is evaluated, as the text of `has`: `principal has claim_x`. */
type PresentAttributes = ReadonlySet<string>;

const NOTHING: PresentAttributes = new Set();
/** The subject of a token, as an attribute of the principal and of the context. Both are strings in every request. */
const SUBJECTS: PresentAttributes = new Set([`principal.${SUBJECT}`, `context.${SUBJECT}`]);

/** The failures of a whole condition, which has to be Boolean. */
export function findFailures(expr: Expr, hasSubject: boolean): readonly Failure[] {
  return [...new Set(asBoolean(expr, hasSubject ? SUBJECTS : NOTHING))];
}

/** A residual without the parts that can only fail: the condition for callers for whom nothing fails. */
export function withoutFailures(expr: Expr): Expr {
  const node = toNode(expr);
  switch (node.op) {
    case '&&': {
      if (isFailure(node.right)) return FALSE;
      const [left, right] = [withoutFailures(node.left), withoutFailures(node.right)];
      return isFalse(left) || isFalse(right) ? FALSE : { '&&': { left, right } };
    }
    case '||': {
      if (isFailure(node.right)) return withoutFailures(node.left);
      const [left, right] = [withoutFailures(node.left), withoutFailures(node.right)];
      return isFalse(left) ? right : isFalse(right) ? left : { '||': { left, right } };
    }
    case 'if':
      if (isFailure(node.yes)) return withoutFailures({ '&&': { left: { '!': { arg: node.test } }, right: node.no } });
      if (isFailure(node.no)) return withoutFailures({ '&&': { left: node.test, right: node.yes } });
      return expr;
    default:
      return expr;
  }
}

/** Whether an expression is `false`, also as the value of a known attribute. */
function isFalse(expr: Expr): boolean {
  return readKnownValue(expr)?.value === false;
}

function listFailures(expr: Expr, present: PresentAttributes): readonly Failure[] {
  if (isFailure(expr)) return [''];
  const node = toNode(expr);
  switch (node.op) {
    case 'Value':
    case 'Var':
      return [];
    case '&&':
      return [
        ...asBoolean(node.left, present),
        ...addCondition(
          node.left,
          asBoolean(node.right, uniteAttributes(present, collectProvenAttributes(node.left, true))),
        ),
      ];
    case '||':
      return [
        ...asBoolean(node.left, present),
        ...addCondition(
          { '!': { arg: node.left } },
          asBoolean(node.right, uniteAttributes(present, collectProvenAttributes(node.left, false))),
        ),
      ];
    case '!':
      return asBoolean(node.arg, present);
    case 'if':
      return [
        ...asBoolean(node.test, present),
        ...addCondition(
          node.test,
          listFailures(node.yes, uniteAttributes(present, collectProvenAttributes(node.test, true))),
        ),
        ...addCondition(
          { '!': { arg: node.test } },
          listFailures(node.no, uniteAttributes(present, collectProvenAttributes(node.test, false))),
        ),
      ];
    case 'has':
      return isRoot(node.left) ? [] : as('an entity or a record', node.left, present);
    case '.':
      if (present.has(print(expr))) return [];
      if (!isRoot(node.left)) return [...listFailures(node.left, present), `${print(expr)} is not there`];
      return [`!(${print({ has: { left: node.left, attr: node.attr } })})`];
    case 'is':
      return [
        ...(isRoot(node.left) ? [] : as('an entity', node.left, present)),
        ...(node.in === undefined ? [] : listFailures(node.in, present)),
      ];
    case 'like':
      return as('a String', node.left, present);
    case 'neg':
      return [...as('a Long', node.arg, present), `${print(expr)} overflows`];
    case 'isEmpty':
      return as('a Set', node.arg, present);
    case 'Set':
      return node.elements.flatMap(element => listFailures(element, present));
    case 'Record':
      return Object.values(node.members).flatMap(member => listFailures(member, present));
    case 'call':
      return [...node.args.flatMap(arg => listFailures(arg, present)), `${print(expr)} cannot be evaluated`];
    default:
      return listBinaryFailures(node, present);
  }
}

function listBinaryFailures(
  node: Node & { readonly op: BinaryOperator },
  present: PresentAttributes,
): readonly Failure[] {
  const { op, left, right } = node;
  switch (op) {
    case '==':
    case '!=':
      return [...listFailures(left, present), ...listFailures(right, present)];
    case 'in':
      return [
        ...(isRoot(left) || isUid(left) ? [] : as('an entity', left, present)),
        ...(readKnownValue(right) === undefined ? as('an entity', right, present) : []),
      ];
    case 'contains':
      return [...as('a Set', left, present), ...listFailures(right, present)];
    case 'containsAll':
    case 'containsAny':
      return [...as('a Set', left, present), ...as('a Set', right, present)];
    case '<':
    case '<=':
    case '>':
    case '>=':
      return [...as('a Long', left, present), ...as('a Long', right, present)];
    default:
      return [
        ...as('a Long', left, present),
        ...as('a Long', right, present),
        `${print(toExpression(node))} overflows`,
      ];
  }
}

function toExpression({ op, left, right }: Node & { readonly op: BinaryOperator }): Expr {
  return { [op]: { left, right } } as unknown as Expr;
}

/** An operand that must have a certain type. For a constant the type is known; for everything else it depends on the request. */
function as(type: string, expr: Expr, present: PresentAttributes): readonly Failure[] {
  const node = toNode(expr);
  const isSubject = type === 'a String' && present.has(print(expr)) && SUBJECTS.has(print(expr));
  const isKnown = fits(type, node) || isSubject || (type === 'a Set' && isSetOfClaim(node));
  return [...listFailures(expr, present), ...(isKnown ? [] : [`${print(expr)} is not ${type}`])];
}

function fits(type: string, node: Node): boolean {
  if (node.op === 'Set') return type === 'a Set';
  if (node.op !== 'Value') return false;
  const { value } = node;
  if (type === 'a Set') return Array.isArray(value);
  if (type === 'a Long') return typeof value === 'number';
  return type === 'a String' && typeof value === 'string';
}

function asBoolean(expr: Expr, present: PresentAttributes): readonly Failure[] {
  const found = listFailures(expr, present);
  const node = toNode(expr);
  // Each branch of a conditional must be Boolean.
  if (isBoolean(expr) || isFailure(expr)) return found;
  if (node.op === 'if' && isBoolean(node.yes) && isBoolean(node.no)) return found;
  return [...found, `${print(expr)} is not a Boolean`];
}

function addCondition(condition: Expr, found: readonly Failure[]): readonly Failure[] {
  // A policy that applies to no caller fails for none.
  if (found.length === 0 || isFalse(withoutFailures(condition))) return [];
  return found.map(failure => (failure === '' ? print(condition) : `${print(condition, 2)} && ${failure}`));
}

/** The attributes that must exist if a condition had this result. */
function collectProvenAttributes(expr: Expr, outcome: boolean): PresentAttributes {
  const node = toNode(expr);
  if (node.op === '!') return collectProvenAttributes(node.arg, !outcome);
  if (node.op === (outcome ? '&&' : '||'))
    return uniteAttributes(collectProvenAttributes(node.left, outcome), collectProvenAttributes(node.right, outcome));
  if (node.op !== 'has' || !outcome) return NOTHING;
  const proven = new Set<string>();
  let { left } = node;
  for (const attr of node.attrs) {
    left = { '.': { left, attr } };
    proven.add(print(left));
  }
  return proven;
}

function uniteAttributes(a: PresentAttributes, b: PresentAttributes): PresentAttributes {
  return b.size === 0 ? a : new Set([...a, ...b]);
}

/** Whether an expression is a variable of the request. These are entities, or a record for the context. */
function isRoot(expr: Expr): boolean {
  return toNode(expr).op === 'Var';
}

function isUid(expr: Expr): boolean {
  const node = toNode(expr);
  return node.op === 'Value' && typeof node.value === 'object';
}

/** Whether an expression is a claim that requests only ever contain as a set. */
function isSetOfClaim(node: Node): boolean {
  return node.op === '.' && isRoot(node.left) && node.attr.startsWith('claimset_');
}
