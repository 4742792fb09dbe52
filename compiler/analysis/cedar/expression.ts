/** Cedar expressions in the JSON form of Cedar's own parser. */
import type { CedarValueJson, Expr, PatternElem, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { EntityUid } from '#shared/plan';

export type { CedarValueJson, Expr, PatternElem, PolicyJson };

export const BINARY_OPERATORS = [
  '==',
  '!=',
  'in',
  '<',
  '<=',
  '>',
  '>=',
  '&&',
  '||',
  '+',
  '-',
  '*',
  'contains',
  'containsAll',
  'containsAny',
  'getTag',
  'hasTag',
] as const;

export type BinaryOperator = (typeof BINARY_OPERATORS)[number];

/** An expression as its operator and operands. */
export type Node =
  | { readonly op: 'Value'; readonly value: CedarValueJson }
  | { readonly op: 'Var'; readonly name: 'principal' | 'action' | 'resource' | 'context' }
  | { readonly op: BinaryOperator; readonly left: Expr; readonly right: Expr }
  | { readonly op: '!' | 'neg' | 'isEmpty'; readonly arg: Expr }
  | { readonly op: '.'; readonly left: Expr; readonly attr: string }
  | { readonly op: 'has'; readonly left: Expr; readonly attrs: readonly string[] }
  | { readonly op: 'like'; readonly left: Expr; readonly pattern: readonly PatternElem[] }
  | { readonly op: 'is'; readonly left: Expr; readonly type: string; readonly in: Expr | undefined }
  | { readonly op: 'if'; readonly test: Expr; readonly yes: Expr; readonly no: Expr }
  | { readonly op: 'Set'; readonly elements: readonly Expr[] }
  | { readonly op: 'Record'; readonly members: { readonly [name: string]: Expr } }
  /** An extension function, such as `decimal`, or an operator that this module does not handle. */
  | { readonly op: 'call'; readonly name: string; readonly args: readonly Expr[] };

const BINARY: ReadonlySet<string> = new Set(BINARY_OPERATORS);

export function toNode(expr: Expr): Node {
  const [op = ''] = Object.keys(expr);
  const body = (expr as Readonly<Record<string, unknown>>)[op];
  const parts = (body ?? {}) as Readonly<Record<string, never>>;
  if (BINARY.has(op)) return { op: op as BinaryOperator, left: parts.left as never, right: parts.right as never };
  switch (op) {
    case 'Value':
      return { op, value: body as CedarValueJson };
    case 'Var':
      return { op, name: body as never };
    case '!':
    case 'neg':
    case 'isEmpty':
      return { op, arg: parts.arg as never };
    case '.':
      return { op, left: parts.left as never, attr: parts.attr as never };
    case 'has': {
      const attr: string | readonly string[] = parts.attr as never;
      return { op, left: parts.left as never, attrs: typeof attr === 'string' ? [attr] : attr };
    }
    case 'like':
      return { op, left: parts.left as never, pattern: parts.pattern as never };
    case 'is':
      return { op, left: parts.left as never, type: parts.entity_type as never, in: parts.in };
    case 'if-then-else':
      return { op: 'if', test: parts.if as never, yes: parts.then as never, no: parts.else as never };
    case 'Set':
      return { op, elements: body as readonly Expr[] };
    case 'Record':
      return { op, members: body as { readonly [name: string]: Expr } };
    default:
      return { op: 'call', name: op, args: Array.isArray(body) ? (body as readonly Expr[]) : [] };
  }
}

/** The direct subexpressions, in textual order. */
export function listOperands(node: Node): readonly Expr[] {
  switch (node.op) {
    case 'Value':
    case 'Var':
      return [];
    case '!':
    case 'neg':
    case 'isEmpty':
      return [node.arg];
    case '.':
    case 'has':
    case 'like':
      return [node.left];
    case 'is':
      return node.in === undefined ? [node.left] : [node.left, node.in];
    case 'if':
      return [node.test, node.yes, node.no];
    case 'Set':
      return node.elements;
    case 'Record':
      return Object.values(node.members);
    case 'call':
      return node.args;
    default:
      return [node.left, node.right];
  }
}

export function createConditional(test: Expr, yes: Expr, no: Expr): Expr {
  // biome-ignore lint/suspicious/noThenProperty: the form is Cedar's
  return { 'if-then-else': { if: test, then: yes, else: no } };
}

export const TRUE: Expr = { Value: true };
export const FALSE: Expr = { Value: false };

export function toEntityExpression(uid: EntityUid): Expr {
  return { Value: { __entity: { type: uid.type, id: uid.id } } };
}

export function readEntityUid(value: CedarValueJson | undefined): EntityUid | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const uid = (value as { __entity?: unknown }).__entity;
  return Object.hasOwn(value, '__entity') ? (uid as EntityUid) : undefined;
}

/** An entity as text, such as `Tool::"search"`, for comparisons. */
export function formatEntityUid({ type, id }: EntityUid): string {
  return `${type}::${JSON.stringify(id)}`;
}

export function isSameEntity(a: EntityUid, b: EntityUid): boolean {
  return a.type === b.type && a.id === b.id;
}

/** Parses an entity of a scope or template slot, in either JSON form of Cedar. */
export function parseEntityUid(value: unknown): EntityUid {
  const { __entity: inner, ...plain } = value as { __entity?: EntityUid } & EntityUid;
  return inner ?? plain;
}

/** The whole policy as one expression: its scope, then its conditions in order. */
export function toExpression(policy: PolicyJson): Expr {
  const parts = [
    toScopeExpression({ Var: 'principal' }, policy.principal),
    toScopeExpression({ Var: 'action' }, policy.action),
    toScopeExpression({ Var: 'resource' }, policy.resource),
    ...policy.conditions.map(({ kind, body }): Expr => (kind === 'when' ? body : { '!': { arg: body } })),
  ];
  const value = parts.filter(part => part !== TRUE);
  if (value.length === 0) return TRUE;
  return value.reduce((left, right) => ({ '&&': { left, right } }));
}

type Constraint = PolicyJson['principal'] | PolicyJson['action'];

function toScopeExpression(subject: Expr, constraint: Constraint): Expr {
  switch (constraint.op) {
    case 'All':
      return TRUE;
    case '==':
      return 'entity' in constraint
        ? { '==': { left: subject, right: toEntityExpression(parseEntityUid(constraint.entity)) } }
        : FALSE;
    case 'in':
      if ('entities' in constraint) {
        return {
          in: {
            left: subject,
            right: { Set: constraint.entities.map(uid => toEntityExpression(parseEntityUid(uid))) },
          },
        };
      }
      return 'entity' in constraint
        ? { in: { left: subject, right: toEntityExpression(parseEntityUid(constraint.entity)) } }
        : FALSE;
    case 'is': {
      const { in: within } = constraint;
      const group =
        within !== undefined && 'entity' in within ? { in: toEntityExpression(parseEntityUid(within.entity)) } : {};
      return { is: { left: subject, entity_type: constraint.entity_type, ...group } };
    }
  }
}
