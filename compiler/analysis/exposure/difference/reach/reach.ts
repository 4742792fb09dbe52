/** Who reaches what before and after: callers are compared by what the policies ask of them, and nothing is left out for being unknown. */

import type { Exposure } from '../../exposure.ts';
import type { CallerReading, Effect } from '../difference.ts';
import { FALSE, type Fn, type Literal, TooLarge, TRUE } from './bdd.ts';
import { Conditions } from './conditions.ts';
import { FactTable } from './facts.ts';
import { buildSides, type Side } from './side.ts';
import type { Target } from './target.ts';
import { type CallerWords, Terms } from './terms.ts';

export interface ReachChange {
  readonly effect: Effect;
  /** Callers, in Cedar as far as Cedar can say it: each text is a condition, and those for whom one holds are meant. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** Products of conditions beyond which callers are not named one by one. */
const MAX_PRODUCTS = 8;

export class Reach {
  readonly #facts = new FactTable();
  readonly #readings = new Map<string, CallerReading>();
  readonly #callers: { readonly before: Admission; readonly after: Admission };
  readonly sides: { readonly before: Side; readonly after: Side };

  private constructor(sides: { readonly before: Side; readonly after: Side }) {
    this.sides = sides;
    const types = { before: sides.before.plan.incomingAuth.type, after: sides.after.plan.incomingAuth.type };
    const isSame = types.before === types.after;
    this.#callers = { before: this.#admission(types.before, isSame), after: this.#admission(types.after, isSame) };
  }

  /** Undefined where a plan is not known, or cannot be read: then the callers are not known. */
  static between(before: Exposure | null, after: Exposure | null): Reach | undefined {
    const sides = before && after ? buildSides(before, after) : undefined;
    return sides && new Reach(sides);
  }

  /** The parts of a text of `compare` that asks something of what is called; undefined for one that is about callers alone. */
  findReading(who: string): CallerReading | undefined {
    return this.#readings.get(who);
  }

  get facts(): FactTable {
    return this.#facts;
  }

  /** Which callers the policies of a side permit a target. */
  permits(side: 'before' | 'after', target: Target): Fn {
    const { cedar } = this.sides[side];
    const { admitted, words } = this.#callers[side];
    if (cedar === null) return admitted;
    const { diagrams } = this.#facts;
    const conditions = new Conditions(new Terms(this.#facts, cedar, target, words));
    let [permitted, denied]: [Fn, Fn] = [FALSE, FALSE];
    for (const { effect, condition } of cedar.conditions) {
      const { holds, fails } = conditions.evaluate(condition);
      if (effect === 'permit') permitted = diagrams.or(permitted, holds);
      // An error denies, whatever the other policies say.
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
   * Whether a function may hold for someone.
   *
   * @throws TooLarge as `compare`
   */
  isPossible(fn: Fn): boolean {
    return this.#facts.diagrams.and(fn, this.#facts.certain(fn)) !== FALSE;
  }

  /** None where `now` admits no caller that `then` did not admit. */
  #listTexts(then: Fn, now: Fn): readonly string[] {
    const { diagrams } = this.#facts;
    if (then === now) return [];
    const difference = diagrams.and(now, diagrams.not(then));
    const certain = this.#facts.certain(difference);
    const possible = diagrams.and(difference, certain);
    if (possible === FALSE) return [];
    const products = diagrams.products(possible, diagrams.or(difference, diagrams.not(certain)));
    if (products.some(({ length }) => length === 0)) return ['everyone'];
    const shown = products.slice(0, MAX_PRODUCTS).map(product => this.#productText(product));
    return [...shown, ...(products.length > MAX_PRODUCTS ? ['others'] : [])];
  }

  #productText(product: readonly Literal[]): string {
    const texts = (wanted: boolean) =>
      product.flatMap(([variable, holds]) => (holds === wanted ? [this.#facts.text(variable)] : []));
    const [asked, excepted] = [texts(true), texts(false)];
    const text = conditionText(asked, excepted, 'everyone');
    const ofCaller = (facts: readonly string[]) => facts.filter(fact => !OF_THING.test(fact));
    const ofThing = (facts: readonly string[]) => facts.filter(fact => OF_THING.test(fact));
    const which = conditionText(ofThing(withoutPresence(asked)), ofThing(excepted), '');
    if (which !== '')
      this.#readings.set(text, { who: conditionText(ofCaller(asked), ofCaller(excepted), 'everyone'), which });
    return text;
  }

  /** Words for who gets in are needed only where it is not the same on both sides. */
  #admission(type: 'anonymous' | 'local' | 'oidc', isSame: boolean): Admission {
    const words = { isAnonymous: type === 'anonymous', prefix: type === 'local' && !isSame ? 'on this machine: ' : '' };
    if (isSame || type === 'anonymous') return { admitted: TRUE, words };
    const text = type === 'local' ? 'the caller is on this machine' : 'the caller has an accepted token';
    return { admitted: this.#facts.of(text, { kind: 'other' }), words };
  }
}

/** What a fact asks of a tool, prompt or resource. */
const OF_THING = /^(?:resource\b|own name of )/;

function conditionText(asked: readonly string[], excepted: readonly string[], nothing: string): string {
  const who = asked.length === 0 ? nothing : asked.join(' && ');
  if (excepted.length === 0) return who;
  return who === '' ? `not (${excepted.join(' || ')})` : `${who}, unless ${excepted.join(' || ')}`;
}

/** What has a value is there. */
function withoutPresence(facts: readonly string[]): readonly string[] {
  return facts.filter(fact => {
    const [, path] = /^(.*) is there$/s.exec(fact) ?? [];
    return path === undefined || !facts.some(other => other !== fact && other.startsWith(path));
  });
}

interface Admission {
  readonly admitted: Fn;
  readonly words: CallerWords;
}

export { TooLarge };
