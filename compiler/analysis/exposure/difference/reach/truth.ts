/** What an expression of Cedar comes to: a value, a truth, or what only a request knows. */
import type { CedarValueJson } from '../../../cedar/expression.ts';
import { sortedJson } from '../../plan/sorted-json.ts';
import { FALSE, type Fn } from './bdd.ts';

/** Where something is true and where it cannot be evaluated; never both. */
export interface Truth {
  readonly holds: Fn;
  readonly fails: Fn;
}

export type Value =
  | { readonly kind: 'known'; readonly value: CedarValueJson }
  | { readonly kind: 'truth'; readonly truth: Truth; readonly text: string }
  /** Only a request tells it; equal texts are equal values. */
  | { readonly kind: 'open'; readonly text: string; readonly fails: Fn };

export function known(value: CedarValueJson): Value {
  return { kind: 'known', value };
}

export function truth(holds: Fn, fails: Fn, text: string): Value {
  return { kind: 'truth', truth: { holds, fails }, text };
}

export function formatValue(value: Value): string {
  return value.kind === 'known' ? sortedJson(value.value) : value.text;
}

/** Where a value cannot be evaluated. */
export function failing(value: Value): Fn {
  return value.kind === 'known' ? FALSE : value.kind === 'open' ? value.fails : value.truth.fails;
}

/** Sets are equal whatever the order of their members. */
export function sameText(a: CedarValueJson, b: CedarValueJson): boolean {
  return setText(a) === setText(b);
}

function setText(value: CedarValueJson): string {
  return Array.isArray(value) ? `[${[...new Set(value.map(setText))].sort().join()}]` : sortedJson(value);
}
