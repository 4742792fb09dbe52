/**
 * The expressions behind the values of a workflow, before they become templates. Plain data, because two copies of this module may be loaded.
 */
import type { ValueKind } from '../tool.ts';

/** The key under which a value that programs see hides its expression, text or condition. */
const NODE = Symbol.for('lintel.dev/workflow-node');

/** JSON, as far as it is written in programs. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A value that is known at run time only. */
export interface Expression {
  readonly type: 'expression';
  readonly base:
    | { readonly type: 'scope'; readonly path: readonly string[] }
    /** A value that a template gets by parsing the JSON in a string. */
    | { readonly type: 'parsed'; readonly of: Expression }
    | { readonly type: 'fallback'; readonly of: Expression; readonly otherwise: Json }
    | { readonly type: 'length'; readonly of: Expression };
  /** Field names and list indices, starting at the base. */
  readonly fields: readonly (string | number)[];
  /** The type of the value; undefined when it is only known at run time. */
  readonly kind: ValueKind | undefined;
  readonly origin: ExpressionOrigin;
}

/** The workflow or item that a value belongs to. The value cannot be used in another one. */
export interface ExpressionOrigin {
  readonly workflow: object;
  /** Steps that must run before the value exists. */
  readonly steps: readonly string[];
  /** The `forEach` that the item belongs to. */
  readonly forEach?: object;
}

/** Text with embedded values. */
export interface TextNode {
  readonly type: 'text';
  readonly parts: readonly (string | Expression)[];
}

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

export type ConditionNode =
  | { readonly type: 'comparison'; readonly name: Comparison; readonly operands: readonly Operand[] }
  | { readonly type: 'junction'; readonly name: 'and' | 'or' | 'not'; readonly of: readonly ConditionNode[] }
  | { readonly type: 'exists'; readonly of: Expression }
  | { readonly type: 'truth'; readonly of: Expression };

export type Operand = Expression | TextNode | { readonly type: 'literal'; readonly value: string | number | boolean };

/** A Go template that the program writes itself: what it reads is unknown. */
export interface TemplateNode {
  readonly type: 'template';
  readonly text: string;
}

export type Node = Expression | TextNode | ConditionNode | TemplateNode;

/** The node behind a value of the program; undefined for plain data. */
export function getNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null && NODE in value ? (value as { [NODE]: Node })[NODE] : undefined;
}

/** The value behind a reference. @throws TypeError for anything else */
export function requireExpression(value: unknown): Expression {
  const node = getNode(value);
  if (node?.type !== 'expression') throw new TypeError('a value of the workflow is needed, such as wf.input.repo');
  return node;
}

/** An object that carries a node. */
export function carrier(node: Node): object {
  return Object.freeze({ [NODE]: node });
}

/** What the program sees of an expression: each field is another expression. It has no value yet, so code that reads its value gets an error. */
export function createReference(expression: Expression): object {
  const misuse = (): never => {
    const name = [...getScope(expression), ...expression.fields].join('.');
    throw new TypeError(
      `"${name}" has a value only when the workflow runs: put it into t\`…\`, arguments or conditions`,
    );
  };
  return new Proxy(Object.freeze({}), {
    has: (_, key) => key === NODE,
    get: (_, key) => {
      if (key === NODE) return expression;
      if (key === Symbol.toPrimitive) return misuse;
      return typeof key === 'symbol' ? undefined : createReference(selectField(expression, key));
    },
    ownKeys: misuse,
  });
}

/** A field by name, or an item by its index. */
export function selectField(expression: Expression, key: string): Expression {
  const { kind, fields } = expression;
  const isList = Array.isArray(kind);
  const isObject = typeof kind === 'object' && !isList;
  const step = !isObject && /^(0|[1-9]\d*)$/.test(key) ? Number(key) : key;
  return { ...expression, fields: [...fields, step], kind: kindOfField(kind, step) };
}

function kindOfField(kind: ValueKind | undefined, step: string | number): ValueKind | undefined {
  if (typeof kind !== 'object') return undefined;
  if (isListKind(kind)) return typeof step === 'number' ? kind[0] : undefined;
  return Object.hasOwn(kind, step) ? kind[step] : undefined;
}

function isListKind(kind: object): kind is readonly [ValueKind] {
  return Array.isArray(kind);
}

function getScope({ base }: Expression): readonly string[] {
  return base.type === 'scope' ? base.path : getScope(base.of);
}

/** Every expression in a value, at any depth. */
export function collectExpressions(value: unknown): readonly Expression[] {
  const node = getNode(value);
  if (node !== undefined) return inNode(node);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(collectExpressions);
}

function inNode(node: Node): readonly Expression[] {
  switch (node.type) {
    case 'expression':
      return [node];
    case 'text':
      return node.parts.filter(part => typeof part !== 'string');
    case 'comparison':
      return node.operands.flatMap(operand => (operand.type === 'literal' ? [] : inNode(operand)));
    case 'junction':
      return node.of.flatMap(inNode);
    case 'template':
      return [];
    default:
      return [node.of];
  }
}
