/**
 * Values and conditions without an exact translation. Such a value is the same on both sides if its operator and its operands are the same.
 */
import type { Node } from '../../../cedar/expression.ts';
import { printNode } from '../../../cedar/print.ts';
import { formatSortedJson } from '../../plan/sorted-json.ts';
import { FALSE, type Fn } from './bdd.ts';
import type { TermType } from './facts.ts';
import type { Terms } from './terms.ts';
import { formatKnown, type PartialValue, toFailure, toTruthValue } from './truth.ts';

export class OpaqueValues {
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** @param operands the operands of the node, in the order of `listOperands` */
  fromNode(node: Node, operands: readonly PartialValue[]): PartialValue {
    const shown = printNode(node);
    const texts = operands.map(operand => formatOperand(operand).text);
    // The hierarchy of entities differs between the sides.
    const isOwn = node.op === 'if' || (node.op === 'is' && node.in !== undefined);
    const own = isOwn ? [node, this.#terms.target, this.#terms.sideText()] : null;
    const identity = `${this.#terms.caller.prefix}${formatSortedJson([withoutOperands(node), texts, own])}`;
    const isLiteral = node.op === 'Set' || node.op === 'Record';
    const fails = this.#or(...operands.map(toFailure), isLiteral ? FALSE : this.#isFailure(shown, identity));
    if (isBoolean(node)) return this.#toCondition(shown, identity, fails);
    const type = RESULT_TYPES[node.op];
    return { kind: 'open', text: identity, shown, fails, ...(type && { type }) };
  }

  /** @param side text of everything that differs between the sides besides the operands; empty if nothing does */
  fromPair(
    op: 'in' | 'contains' | 'containsAny' | 'containsAll',
    left: PartialValue,
    right: PartialValue,
    side = '',
  ): PartialValue {
    const [a, b] = [formatOperand(left), formatOperand(right)];
    const shown = op === 'in' ? `${a.shown} in ${b.shown}` : `${a.shown}.${op}(${b.shown})`;
    const identity = formatSortedJson([op, a.text, b.text, side]);
    const fails = this.#or(toFailure(left), toFailure(right), this.#isFailure(shown, identity));
    return this.#toCondition(shown, identity, fails);
  }

  #toCondition(shown: string, identity: string, fails: Fn): PartialValue {
    const { diagrams } = this.#terms.facts;
    return toTruthValue(diagrams.and(this.#terms.fact(shown, identity), diagrams.not(fails)), fails);
  }

  #isFailure(shown: string, identity: string): Fn {
    return this.#terms.fact(`${shown} cannot be evaluated`, `failing ${identity}`);
  }

  #or(...all: readonly Fn[]): Fn {
    return this.#terms.facts.diagrams.or(...all);
  }
}

/** An operand as text. `text` is equal only for equal values; a Boolean function has no text of its own, but equal functions have equal numbers. */
function formatOperand(value: PartialValue): { readonly text: string; readonly shown: string } {
  if (value.kind === 'open') return { text: value.text, shown: value.shown ?? value.text };
  if (value.kind === 'known') return { text: formatKnown(value.value), shown: formatKnown(value.value) };
  return { text: `condition ${value.truth.holds} ${value.truth.fails}`, shown: '(a condition)' };
}

/** The operator with its names, types and patterns. */
function withoutOperands(node: Node): unknown {
  if (node.op === 'Record') return [node.op, Object.keys(node.members)];
  const {
    left,
    right,
    arg,
    args,
    elements,
    in: within,
    test,
    yes,
    no,
    ...own
  } = node as Readonly<Record<string, unknown>>;
  return own;
}

/** The types of results, wherever evaluating the operands does not fail. */
const RESULT_TYPES: { readonly [op: string]: TermType | undefined } = {
  Set: 'set',
  Record: 'record',
  '+': 'long',
  '-': 'long',
  '*': 'long',
  neg: 'long',
};

/** Operators and functions whose result is Boolean wherever evaluating them does not fail. */
const BOOLEAN_OPERATORS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'is', 'isEmpty', 'hasTag']);
const BOOLEAN_FUNCTIONS: ReadonlySet<string> = new Set([
  'isIpv4',
  'isIpv6',
  'isLoopback',
  'isMulticast',
  'isInRange',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
]);

function isBoolean(node: Node): boolean {
  return node.op === 'call' ? BOOLEAN_FUNCTIONS.has(node.name) : BOOLEAN_OPERATORS.has(node.op);
}
