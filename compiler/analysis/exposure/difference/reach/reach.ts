/** Who reaches what before and after. Callers are compared by the conditions of the policies; unknown facts are never ignored. */

import type { Exposure } from '../../exposure.ts';
import type { CallerReading, Effect } from '../difference.ts';
import { FALSE, type Fn, type Literal, TooLarge, TRUE } from './bdd.ts';
import { Conditions } from './conditions.ts';
import { FactTable } from './facts.ts';
import { formatProduct } from './product-text.ts';
import { buildSides, type ReachSide } from './side.ts';
import type { ReachTarget } from './target.ts';
import { type CallerWords, Terms } from './terms.ts';

export interface ReachChange {
  readonly effect: Effect;
  /** Callers, as Cedar conditions where Cedar can express them; a caller gains access if one of the conditions holds. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** Limit on the number of conditions; beyond it callers are not listed individually. */
const MAX_PRODUCTS = 8;

export class Reach {
  readonly #facts = new FactTable();
  readonly #readings = new Map<string, CallerReading>();
  readonly #callers: { readonly before: Admission; readonly after: Admission };
  readonly sides: { readonly before: ReachSide; readonly after: ReachSide };

  private constructor(sides: { readonly before: ReachSide; readonly after: ReachSide }) {
    this.sides = sides;
    const types = { before: sides.before.plan.incomingAuth.type, after: sides.after.plan.incomingAuth.type };
    const isSame = types.before === types.after;
    this.#callers = {
      before: this.#compareAdmission(types.before, isSame),
      after: this.#compareAdmission(types.after, isSame),
    };
  }

  /** Compares two exposures. Undefined when a plan is missing or cannot be read: then the callers are unknown. */
  static between(before: Exposure | null, after: Exposure | null): Reach | undefined {
    const sides = before && after ? buildSides(before, after) : undefined;
    return sides && new Reach(sides);
  }

  /** The parts of a text from `compare` that has a condition on the item; undefined for a text about callers alone. */
  findReading(who: string): CallerReading | undefined {
    return this.#readings.get(who);
  }

  get facts(): FactTable {
    return this.#facts;
  }

  /** The callers whom one side's policies permit a target. */
  permits(side: 'before' | 'after', target: ReachTarget): Fn {
    const { cedar } = this.sides[side];
    const { admitted, words } = this.#callers[side];
    if (cedar === null) return admitted;
    const { diagrams } = this.#facts;
    const conditions = new Conditions(new Terms(this.#facts, cedar, target, words));
    let [permitted, denied]: [Fn, Fn] = [FALSE, FALSE];
    for (const { effect, condition } of cedar.conditions) {
      const { holds, fails } = conditions.evaluate(condition);
      if (effect === 'permit') permitted = diagrams.or(permitted, holds);
      // An evaluation error denies, even if other policies permit.
      denied = diagrams.or(denied, fails, effect === 'forbid' ? holds : FALSE);
    }
    return diagrams.and(admitted, permitted, diagrams.not(denied));
  }

  /** @throws TooLarge for conditions that cannot be compared in reasonable time */
  compare(before: Fn, after: Fn): ReachChange {
    const [gained, lost] = [this.#listTexts(before, after), this.#listTexts(after, before)];
    const effect =
      gained.length === 0 ? (lost.length === 0 ? 'same' : 'narrower') : lost.length === 0 ? 'wider' : 'mixed';
    return { effect, gained, lost };
  }

  /**
   * Whether some caller can satisfy a function.
   * @throws TooLarge as `compare`
   */
  isPossible(fn: Fn): boolean {
    return this.#facts.diagrams.and(fn, this.#facts.certain(fn)) !== FALSE;
  }

  /** The callers whom `now` admits and `then` does not, in words; empty when there are none. */
  #listTexts(then: Fn, now: Fn): readonly string[] {
    const { diagrams } = this.#facts;
    if (then === now) return [];
    const difference = diagrams.and(now, diagrams.not(then));
    const certain = this.#facts.certain(difference);
    const possible = diagrams.and(difference, certain);
    if (possible === FALSE) return [];
    const products = diagrams.listProducts(possible, diagrams.or(difference, diagrams.not(certain)));
    if (products.some(({ length }) => length === 0)) return ['everyone'];
    const shown = products.slice(0, MAX_PRODUCTS).map(product => this.#formatProduct(product));
    return [...new Set(shown), ...(products.length > MAX_PRODUCTS ? ['others'] : [])];
  }

  #formatProduct(product: readonly Literal[]): string {
    const facts = (truth: boolean) =>
      product.flatMap(([variable, holds]) => (holds === truth ? [this.#facts.find(variable)] : []));
    const { text, reading } = formatProduct(facts(true), facts(false));
    if (reading !== undefined) this.#readings.set(text, reading);
    return text;
  }

  /** What a text says about admission, which it only mentions when it differs between the sides. */
  #compareAdmission(type: 'anonymous' | 'local' | 'oidc', isSame: boolean): Admission {
    const words = { isAnonymous: type === 'anonymous', prefix: type === 'local' && !isSame ? 'on this machine: ' : '' };
    if (isSame || type === 'anonymous') return { admitted: TRUE, words };
    const text = type === 'local' ? 'the caller is on this machine' : 'the caller has an accepted token';
    return { admitted: this.#facts.getVariable(text, { kind: 'other' }), words };
  }
}

interface Admission {
  readonly admitted: Fn;
  readonly words: CallerWords;
}

export { TooLarge };
