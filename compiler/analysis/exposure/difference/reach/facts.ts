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
  | { readonly kind: 'type'; readonly term: string; readonly type: TermType }
  /** The term is an integer below the bound. */
  | { readonly kind: 'below'; readonly term: string; readonly bound: number }
  /** A claim that lists groups exists and is not empty. */
  | { readonly kind: 'lists'; readonly claim: string }
  | { readonly kind: 'group'; readonly claim: string; readonly value: string }
  /** `identity`: differs for different facts with the same text. */
  | { readonly kind: 'other'; readonly identity?: string };

/** `record`: an entity or a record, which alone have attributes. */
export type TermType = 'text' | 'boolean' | 'long' | 'record' | 'set';

export type Pattern = readonly ('Wildcard' | { readonly Literal: string })[];

export interface KnownFact {
  readonly text: string;
  readonly fact: Fact;
}

export class FactTable {
  readonly diagrams = new Diagrams();
  readonly #numbers = new Map<string, number>();
  readonly #known: KnownFact[] = [];

  /** @param text Cedar text for people; two texts may describe the same fact */
  getVariable(text: string, fact: Fact): Fn {
    const key = identify(text, fact);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#known.push({ text, fact }) - 1;
      this.#numbers.set(key, number);
    }
    return this.diagrams.variable(number);
  }

  /** The fact of a variable, with its whole text. */
  find(variable: number): KnownFact {
    const known = this.#known[variable];
    if (known === undefined) throw new RangeError(`there is no fact ${variable}`);
    return known;
  }

  /** The relations between the facts of a function, which hold for every caller. */
  certain(fn: Fn): Fn {
    const variables = [...this.diagrams.support(fn)];
    const facts = variables.map(variable => [variable, this.#known[variable]?.fact] as const);
    const { diagrams } = this;
    const rules = facts.flatMap(([a, fact], at) =>
      facts.slice(at + 1).flatMap(([b, other]) => {
        if (fact === undefined || other === undefined) return [];
        const [x, y] = [diagrams.variable(a), diagrams.variable(b)];
        return [...this.#listRules(fact, other, x, y), ...this.#listRules(other, fact, y, x)];
      }),
    );
    return diagrams.and(...rules, ...this.#listAdjacentBounds(facts));
  }

  /** If an integer is below a bound and is not the largest number below it, the integer is also below that largest number. */
  #listAdjacentBounds(facts: readonly (readonly [variable: number, Fact | undefined])[]): readonly Fn[] {
    const { diagrams } = this;
    const bounds = facts.flatMap(([variable, fact]) => (fact?.kind === 'below' ? [{ variable, ...fact }] : []));
    const values = facts.flatMap(([variable, fact]) => (fact?.kind === 'equals' ? [{ variable, ...fact }] : []));
    return bounds.flatMap(upper =>
      bounds
        .filter(
          ({ term, bound }) => term === upper.term && bound === upper.bound - 1 && Number.isSafeInteger(bound + 1),
        )
        .flatMap(lower =>
          values
            .filter(({ term, value }) => term === upper.term && value === String(lower.bound))
            .map(({ variable }) =>
              diagrams.or(
                diagrams.not(diagrams.variable(upper.variable)),
                diagrams.variable(variable),
                diagrams.variable(lower.variable),
              ),
            ),
        ),
    );
  }

  /** The facts that follow for `b` when `a` holds. */
  #listRules(a: Fact, b: Fact, x: Fn, y: Fn): readonly Fn[] {
    const { diagrams } = this;
    const implies = () => [diagrams.or(diagrams.not(x), y)];
    const excludes = () => [diagrams.not(diagrams.and(x, y))];
    if (a.kind === 'group') return b.kind === 'lists' && a.claim === b.claim ? implies() : [];
    if (!('term' in a && 'term' in b) || a.term !== b.term) return [];
    const type = findType(a);
    if (b.kind === 'has' && a.kind !== 'has') return implies();
    if (b.kind === 'type' && type !== undefined) return b.type === type ? implies() : excludes();
    if (a.kind === 'equals' && b.kind === 'equals') return areDistinct(a.value, b.value) ? excludes() : [];
    if (a.kind === 'below' && b.kind === 'below') return a.bound <= b.bound ? implies() : [];
    if (b.kind === 'below' && type !== undefined && type !== 'long') return excludes();
    if (a.kind === 'equals' && b.kind === 'below') return Number(a.value) < b.bound ? implies() : excludes();
    if (a.kind !== 'equals' || b.kind !== 'like') return [];
    return type === 'text' && matches(JSON.parse(a.value) as string, b.pattern) ? implies() : excludes();
  }
}

/** A text that is equal for equal facts. What people read about a fact is only part of it for facts of the kind `other`. */
function identify(text: string, fact: Fact): string {
  return JSON.stringify(fact.kind === 'other' ? ['other', text, fact.identity ?? ''] : Object.entries(fact).sort());
}

/** Whether no value equals both. Extension values may be equal in two spellings, such as `1.0` and `1.00`. */
function areDistinct(a: string, b: string): boolean {
  return a !== b && !a.includes('"__extn"') && !b.includes('"__extn"');
}

/** The type of a term for which the fact holds. */
function findType(fact: Fact): TermType | 'extension' | undefined {
  switch (fact.kind) {
    case 'type':
      return fact.type;
    case 'like':
      return 'text';
    case 'below':
      return 'long';
    case 'equals':
      return readType(fact.value);
    default:
      return undefined;
  }
}

function readType(value: string): TermType | 'extension' {
  if (value.startsWith('"')) return 'text';
  if (value === 'true' || value === 'false') return 'boolean';
  // A value such as `decimal("1.5")` has no attributes.
  if (value.startsWith('{"__extn"')) return 'extension';
  return value.startsWith('[') ? 'set' : value.startsWith('{') ? 'record' : 'long';
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
