import {
  type Comparison,
  type ConditionNode,
  carrier,
  getNode,
  type Operand,
  requireExpression,
} from './expression.ts';
import type { Reference, Text } from './reference.ts';
import { TemplateWriter } from './template/writer.ts';

type Scalar = string | number | boolean;
type Comparable<T> = T extends number ? number : T extends string ? string : never;

/** When a step runs. */
export type When = Condition | Reference<boolean>;

declare const CONDITION: unique symbol;

/**
 * Conditions of steps. They compare values of one type and give a Boolean.
 *
 * @example
 * wf.step('notify', chat.tools.post, { text: t`${found.output.total} open` }, { when: Condition.gt(found.output.total, 0) });
 */
export interface Condition {
  /** Never set: only the functions next to it create conditions. */
  readonly [CONDITION]: true;
}

export const Condition: {
  /** Both values are equal. */
  eq<T extends Scalar>(value: Reference<T | null>, other: NoInfer<T> | Reference<NoInfer<T>> | TextFor<T>): Condition;
  /** The values differ. */
  ne<T extends Scalar>(value: Reference<T | null>, other: NoInfer<T> | Reference<NoInfer<T>> | TextFor<T>): Condition;
  /** The first value is less, or a text that sorts before the second. */
  lt<T extends number | string>(
    value: Reference<T>,
    other: Comparable<NoInfer<T>> | Reference<Comparable<NoInfer<T>>>,
  ): Condition;
  /** The first value is less or equal. */
  le<T extends number | string>(
    value: Reference<T>,
    other: Comparable<NoInfer<T>> | Reference<Comparable<NoInfer<T>>>,
  ): Condition;
  /** The first value is greater, or a text that sorts after the second. */
  gt<T extends number | string>(
    value: Reference<T>,
    other: Comparable<NoInfer<T>> | Reference<Comparable<NoInfer<T>>>,
  ): Condition;
  /** The first value is greater or equal. */
  ge<T extends number | string>(
    value: Reference<T>,
    other: Comparable<NoInfer<T>> | Reference<Comparable<NoInfer<T>>>,
  ): Condition;
  /** All of the conditions hold. */
  and(...conditions: readonly [When, ...When[]]): Condition;
  /** At least one of the conditions holds. */
  or(...conditions: readonly [When, ...When[]]): Condition;
  /** The condition does not hold. */
  not(condition: When): Condition;
  /** The value exists and is not null. */
  exists(value: Reference<unknown>): Condition;
  /** A Go template: the step runs when it renders `true`. Only the compiler checks it, as for `Value.template`. */
  template(text: string): Condition;
} = {
  eq: (value, other) => comparison('eq', value, other),
  ne: (value, other) => comparison('ne', value, other),
  lt: (value, other) => comparison('lt', value, other),
  le: (value, other) => comparison('le', value, other),
  gt: (value, other) => comparison('gt', value, other),
  ge: (value, other) => comparison('ge', value, other),
  and: (...conditions) => made({ type: 'junction', name: 'and', of: conditions.map(conditionNode) }),
  or: (...conditions) => made({ type: 'junction', name: 'or', of: conditions.map(conditionNode) }),
  not: condition => made({ type: 'junction', name: 'not', of: [conditionNode(condition)] }),
  exists: value => made({ type: 'exists', of: requireExpression(value) }),
  template: text => carrier({ type: 'template', text }) as Condition,
};

type TextFor<T> = string extends T ? Text : never;

/** The template of a condition. @throws TypeError for a value that is not a condition */
export function conditionText(when: When): string {
  const node = getNode(when);
  return node?.type === 'template' ? node.text : new TemplateWriter().condition(conditionNode(when));
}

function conditionNode(when: When): ConditionNode {
  const node = getNode(when);
  if (node === undefined || node.type === 'text') {
    throw new TypeError('a condition is made by Condition.eq and its like, or is a value that is true or false');
  }
  if (node.type === 'template') throw new TypeError('a template is a condition by itself, and no part of one');
  return node.type === 'expression' ? { type: 'truth', of: node } : node;
}

function comparison(name: Comparison, ...values: readonly unknown[]): Condition {
  return made({ type: 'comparison', name, operands: values.map(operand) });
}

function operand(value: unknown): Operand {
  const node = getNode(value);
  if (node === undefined) return { type: 'literal', value: value as Scalar };
  if (node.type !== 'expression' && node.type !== 'text') throw new TypeError('conditions are joined by Condition.and');
  return node;
}

function made(node: ConditionNode): Condition {
  return carrier(node) as Condition;
}
