/**
 * Boolean functions as reduced ordered binary decision diagrams: equal functions have equal numbers.
 *
 * @see Bryant, Graph-Based Algorithms for Boolean Function Manipulation (1986); Minato, Fast Generation of Irredundant Sum-of-Products
 *   Forms from Binary Decision Diagrams (1992)
 */

/** A function, as the index of its node. */
export type Fn = number;

export const FALSE: Fn = 0;
export const TRUE: Fn = 1;

/** Node limit of a comparison; beyond it the result is `mixed`. */
const MAX_NODES = 200_000;

/** A variable, or its negation. */
export type Literal = readonly [variable: number, holds: boolean];

export class TooLarge extends Error {}

export class Diagrams {
  /** For each node: its variable, the function where the variable is false, and the function where it is true. */
  readonly #nodes: (readonly [variable: number, low: Fn, high: Fn])[] = [
    [Number.POSITIVE_INFINITY, FALSE, FALSE],
    [Number.POSITIVE_INFINITY, TRUE, TRUE],
  ];
  readonly #unique = new Map<string, Fn>();
  readonly #results = new Map<string, Fn>();

  variable(index: number): Fn {
    return this.#createNode(index, FALSE, TRUE);
  }

  not(a: Fn): Fn {
    return this.#choose(a, FALSE, TRUE);
  }

  and(...all: readonly Fn[]): Fn {
    return all.reduce((a, b) => this.#choose(a, b, FALSE), TRUE);
  }

  or(...all: readonly Fn[]): Fn {
    return all.reduce((a, b) => this.#choose(a, TRUE, b), FALSE);
  }

  /** The variables that a function depends on. */
  support(fn: Fn): ReadonlySet<number> {
    const found = new Set<number>();
    const seen = new Set<Fn>();
    const remaining = [fn];
    for (let at = remaining.pop(); at !== undefined; at = remaining.pop()) {
      if (at <= TRUE || seen.has(at)) continue;
      seen.add(at);
      const [variable, low, high] = this.#getNode(at);
      found.add(variable);
      remaining.push(low, high);
    }
    return found;
  }

  /** A small number of products whose union holds wherever `lower` holds and nowhere outside of `upper`. */
  listProducts(lower: Fn, upper: Fn): readonly (readonly Literal[])[] {
    return this.#cover(lower, upper).listProducts;
  }

  #cover(lower: Fn, upper: Fn): { readonly listProducts: readonly (readonly Literal[])[]; readonly fn: Fn } {
    if (lower === FALSE) return { listProducts: [], fn: FALSE };
    if (upper === TRUE) return { listProducts: [[]], fn: TRUE };
    const variable = Math.min(this.#getNode(lower)[0], this.#getNode(upper)[0]);
    const [lower0, lower1] = this.#split(lower, variable);
    const [upper0, upper1] = this.#split(upper, variable);
    const low = this.#cover(this.and(lower0, this.not(upper1)), upper0);
    const high = this.#cover(this.and(lower1, this.not(upper0)), upper1);
    const remaining = this.or(this.and(lower0, this.not(low.fn)), this.and(lower1, this.not(high.fn)));
    const both = this.#cover(remaining, this.and(upper0, upper1));
    const own = this.variable(variable);
    return {
      listProducts: [
        ...high.listProducts.map(product => [[variable, true] as const, ...product]),
        ...both.listProducts,
        ...low.listProducts.map(product => [[variable, false] as const, ...product]),
      ],
      fn: this.or(this.and(this.not(own), low.fn), this.and(own, high.fn), both.fn),
    };
  }

  #split(fn: Fn, variable: number): readonly [Fn, Fn] {
    const [own, low, high] = this.#getNode(fn);
    return own === variable ? [low, high] : [fn, fn];
  }

  /** The function `test ? yes : no`. */
  #choose(test: Fn, yes: Fn, no: Fn): Fn {
    if (test === TRUE) return yes;
    if (test === FALSE) return no;
    if (yes === no) return yes;
    if (yes === TRUE && no === FALSE) return test;
    const key = `${test} ${yes} ${no}`;
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    const variable = Math.min(this.#getNode(test)[0], this.#getNode(yes)[0], this.#getNode(no)[0]);
    const [test0, test1] = this.#split(test, variable);
    const [yes0, yes1] = this.#split(yes, variable);
    const [no0, no1] = this.#split(no, variable);
    const result = this.#createNode(variable, this.#choose(test0, yes0, no0), this.#choose(test1, yes1, no1));
    this.#results.set(key, result);
    return result;
  }

  #createNode(variable: number, low: Fn, high: Fn): Fn {
    if (low === high) return low;
    const key = `${variable} ${low} ${high}`;
    const known = this.#unique.get(key);
    if (known !== undefined) return known;
    if (this.#nodes.length >= MAX_NODES) throw new TooLarge('conditions of policies are too many to be compared');
    this.#nodes.push([variable, low, high]);
    this.#unique.set(key, this.#nodes.length - 1);
    return this.#nodes.length - 1;
  }

  #getNode(fn: Fn): readonly [variable: number, low: Fn, high: Fn] {
    return this.#nodes[fn] as readonly [number, Fn, Fn];
  }
}
