/** The result of a Cedar expression: a value, a Boolean function, or a value that only the request knows. */
import type { CedarValueJson } from '../../../cedar/expression.ts';
import { printValue } from '../../../cedar/print.ts';
import { formatSortedJson } from '../../plan/sorted-json.ts';
import { FALSE, type Fn } from './bdd.ts';

/** Where something is true, and where its evaluation fails; the two never overlap. */
export interface Truth {
  readonly holds: Fn;
  readonly fails: Fn;
}

export type PartialValue =
  | { readonly kind: 'known'; readonly value: CedarValueJson }
  | { readonly kind: 'truth'; readonly truth: Truth; readonly text: string }
  /** Only the request knows the value; equal texts are equal values. */
  | { readonly kind: 'open'; readonly text: string; readonly fails: Fn };

export function toKnownValue(value: CedarValueJson): PartialValue {
  return { kind: 'known', value };
}

export function toTruthValue(holds: Fn, fails: Fn, text: string): PartialValue {
  return { kind: 'truth', truth: { holds, fails }, text };
}

export function formatValue(value: PartialValue): string {
  return value.kind === 'known' ? formatKnown(value.value) : value.text;
}

/** As Cedar, with the members of records in order: equal texts only for equal values. */
export function formatKnown(value: CedarValueJson): string {
  return printValue(JSON.parse(formatSortedJson(value)) as CedarValueJson);
}

/** Where evaluating the value fails. */
export function toFailure(value: PartialValue): Fn {
  return value.kind === 'known' ? FALSE : value.kind === 'open' ? value.fails : value.truth.fails;
}

/** Sets are equal regardless of order. */
export function isSameText(a: CedarValueJson, b: CedarValueJson): boolean {
  return setText(a) === setText(b);
}

function setText(value: CedarValueJson): string {
  return Array.isArray(value) ? `[${[...new Set(value.map(setText))].sort().join()}]` : formatSortedJson(value);
}
