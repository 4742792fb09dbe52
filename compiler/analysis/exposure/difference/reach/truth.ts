/** The result of a Cedar expression: a value, a Boolean function, or a value that only the request has. */
import type { CedarValueJson } from '../../../cedar/expression.ts';
import { printValue } from '../../../cedar/print.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import type { TermType } from './facts.ts';

/** Where something is true, and where its evaluation fails; the two never overlap. */
export interface Truth {
  readonly holds: Fn;
  readonly fails: Fn;
}

export type PartialValue =
  | { readonly kind: 'known'; readonly value: CedarValueJson }
  | { readonly kind: 'truth'; readonly truth: Truth }
  /** A value that only the request has; equal texts mean equal values. `shown`: the text for people, if it differs. */
  | OpenValue;

export interface OpenValue {
  readonly kind: 'open';
  readonly text: string;
  readonly shown?: string;
  /** The type of the value wherever it can be evaluated, if that is known. */
  readonly type?: TermType;
  readonly fails: Fn;
}

export function toKnownValue(value: CedarValueJson): PartialValue {
  return { kind: 'known', value };
}

export function toTruthValue(holds: Fn, fails: Fn): PartialValue {
  return { kind: 'truth', truth: { holds, fails } };
}

/** A condition that never holds and always fails to evaluate. */
export const FAILURE = toTruthValue(FALSE, TRUE);

/** A value in Cedar's syntax: equal texts only for equal values. */
export function formatKnown(value: CedarValueJson): string {
  return printValue(JSON.parse(formatCanonical(value)) as CedarValueJson);
}

/** Where evaluating the value fails. */
export function toFailure(value: PartialValue): Fn {
  return value.kind === 'known' ? FALSE : value.kind === 'open' ? value.fails : value.truth.fails;
}

export function isSameValue(a: CedarValueJson, b: CedarValueJson): boolean {
  return formatCanonical(a) === formatCanonical(b);
}

/** A value as JSON that is equal for equal values: the order of a set's elements and of a record's members does not count. */
export function formatCanonical(value: CedarValueJson): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(formatCanonical))].sort().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${formatCanonical(member as CedarValueJson)}`).join()}}`;
}
