/**
 * The variables of conditions: each is a fact about the caller, the arguments or the item's name, with the same meaning on both sides. Facts
 * count as independent, except for certain relations such as that a string cannot equal two different strings. So a comparison may report a
 * difference where there is none, but never misses one.
 */
import { Diagrams, type Fn } from './bdd.ts';

export type Fact =
  | { readonly kind: 'equals'; readonly term: string; readonly value: string }
  | { readonly kind: 'like'; readonly term: string; readonly pattern: Pattern }
  | { readonly kind: 'has'; readonly term: string }
  | { readonly kind: 'type'; readonly term: string; readonly type: 'text' | 'boolean' | 'record' | 'set' }
  /** A claim that lists groups exists and is not empty. */
  | { readonly kind: 'lists'; readonly claim: string }
  | { readonly kind: 'group'; readonly claim: string; readonly value: string }
  | { readonly kind: 'other' };

export type Pattern = readonly ('Wildcard' | { readonly Literal: string })[];

/** Maximum length of a displayed fact, in UTF-16 code units. */
const MAX_TEXT = 200;

interface KnownFact {
  readonly text: string;
  readonly fact: Fact;
}

export class FactTable {
  readonly diagrams = new Diagrams();
  readonly #numbers = new Map<string, number>();
  readonly #known: KnownFact[] = [];

  /** @param text Cedar text for people; facts with equal texts are the same fact */
  of(text: string, fact: Fact): Fn {
    const key = `${fact.kind} ${text}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#known.push({ text, fact }) - 1;
      this.#numbers.set(key, number);
    }
    return this.diagrams.variable(number);
  }

  text(variable: number): string {
    const text = this.#known[variable]?.text ?? '';
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)} …` : text;
  }

  /** The relations between the facts of a function, which hold for every caller. */
  certain(fn: Fn): Fn {
    const variables = [...this.diagrams.support(fn)];
    const facts = variables.map(variable => [variable, this.#known[variable]?.fact] as const);
    const { diagrams } = this;
    const rules = facts.flatMap(([a, one], at) =>
      facts.slice(at + 1).flatMap(([b, other]) => {
        if (one === undefined || other === undefined) return [];
        const [x, y] = [diagrams.variable(a), diagrams.variable(b)];
        return [...this.#rule(one, other, x, y), ...this.#rule(other, one, y, x)];
      }),
    );
    return diagrams.and(...rules);
  }

  /** What follows for `b` when `a` holds. */
  #rule(a: Fact, b: Fact, x: Fn, y: Fn): readonly Fn[] {
    const { diagrams } = this;
    const implies = () => [diagrams.or(diagrams.not(x), y)];
    const excludes = () => [diagrams.not(diagrams.and(x, y))];
    if (a.kind === 'group') return b.kind === 'lists' && a.claim === b.claim ? implies() : [];
    if (!('term' in a && 'term' in b) || a.term !== b.term) return [];
    const type =
      a.kind === 'type' ? a.type : a.kind === 'like' ? 'text' : a.kind === 'equals' ? readType(a.value) : undefined;
    if (b.kind === 'has' && a.kind !== 'has') return implies();
    if (b.kind === 'type' && type !== undefined) return b.type === type ? implies() : excludes();
    if (a.kind === 'equals' && b.kind === 'equals') return excludes();
    if (a.kind !== 'equals' || b.kind !== 'like') return [];
    return type === 'text' && matches(JSON.parse(a.value) as string, b.pattern) ? implies() : excludes();
  }
}

function readType(value: string): 'text' | 'boolean' | 'record' | 'set' | 'number' {
  if (value.startsWith('"')) return 'text';
  if (value === 'true' || value === 'false') return 'boolean';
  return value.startsWith('[') ? 'set' : value.startsWith('{') ? 'record' : 'number';
}

export function matches(text: string, pattern: Pattern): boolean {
  let reached = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (part === 'Wildcard') for (let end = at; end <= text.length; end += 1) next.add(end);
      else if (text.startsWith(part.Literal, at)) next.add(at + part.Literal.length);
    }
    reached = next;
  }
  return reached.has(text.length);
}
