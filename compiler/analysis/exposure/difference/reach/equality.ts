/** Whether two values are equal, assuming that evaluating them does not fail. */
import { CEDAR_ACTIONS } from '#shared/plan';
import { type CedarValueJson, readEntityUid } from '../../../cedar/expression.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import { NAME, type Terms } from './terms.ts';
import { formatKnown, isSameValue, type OpenValue, type PartialValue, type Truth } from './truth.ts';

export class Equality {
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  compare(left: PartialValue, right: PartialValue): Fn {
    if (left.kind === 'truth') return this.#compareTruth(left.truth, right);
    if (right.kind === 'truth') return this.#compareTruth(right.truth, left);
    if (left.kind === 'known') {
      if (right.kind === 'known') return isSameValue(left.value, right.value) ? TRUE : FALSE;
      return this.#compareWithKnown(right, left.value);
    }
    return right.kind === 'known' ? this.#compareWithKnown(left, right.value) : this.#compareOpen(left, right);
  }

  #compareWithKnown({ text, shown = text }: OpenValue, value: CedarValueJson): Fn {
    const uid = readEntityUid(value);
    if (text === 'principal') return uid?.type === 'Client' ? this.#terms.isCaller(uid.id) : FALSE;
    if (text === 'resource') {
      return uid?.type === CEDAR_ACTIONS[this.#terms.target.action].type ? this.#terms.isNamed(uid.id) : FALSE;
    }
    if (text === NAME) return typeof value === 'string' ? this.#terms.isNamed(value) : FALSE;
    return this.#terms.equals(text, value, `${shown} == ${formatKnown(value)}`);
  }

  /** A Boolean equals no value of another type. */
  #compareTruth({ holds, fails }: Truth, other: PartialValue): Fn {
    const { diagrams } = this.#terms.facts;
    const isFalse = diagrams.not(diagrams.or(holds, fails));
    if (other.kind === 'known') return other.value === true ? holds : other.value === false ? isFalse : FALSE;
    const either = (isOtherTrue: Fn, isOtherFalse: Fn) =>
      diagrams.or(diagrams.and(holds, isOtherTrue), diagrams.and(isFalse, isOtherFalse));
    if (other.kind === 'truth') {
      const { truth } = other;
      return either(truth.holds, diagrams.not(diagrams.or(truth.holds, truth.fails)));
    }
    const { text, shown = text } = other;
    return either(this.#terms.equals(text, true, shown), this.#terms.equals(text, false, `${shown} == false`));
  }

  /** Compares two values that only the request has. */
  #compareOpen(left: OpenValue, right: OpenValue): Fn {
    if (left.text === right.text) return TRUE;
    const [a, b] = left.text < right.text ? [left, right] : [right, left];
    return this.#terms.fact(`${a.shown ?? a.text} == ${b.shown ?? b.text}`, JSON.stringify([a.text, b.text]));
  }
}
