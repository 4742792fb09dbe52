/** The terms of a condition, each as a fact: who calls, what is called, and which type a value has. */
import { ANONYMOUS_PRINCIPAL, CEDAR_ACTIONS, type EntityUid } from '#shared/plan';
import type { CedarValueJson } from '../../../cedar/expression.ts';
import { formatSortedJson } from '../../plan/sorted-json.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import type { FactTable, TermType } from './facts.ts';
import type { CedarSide } from './side.ts';
import type { ReachTarget } from './target.ts';
import { formatCanonical } from './truth.ts';

/** Texts of facts about the caller, which are equal only where the callers are the same. */
export interface CallerWords {
  readonly isAnonymous: boolean;
  /** A text in front of every fact about the caller. */
  readonly prefix: string;
}

export const HINTS = new Set(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);
/** Hints that a workflow derives from the tools that it calls. */
export const DERIVED_HINTS = new Set(['readOnlyHint', 'destructiveHint', 'openWorldHint']);
export const DERIVED = ' of a workflow that calls ';
export const NAME = 'resource name';

/** Names of types in Cedar. */
const TYPE_TEXTS: { readonly [T in TermType]: string } = {
  text: 'a String',
  boolean: 'a Boolean',
  long: 'a Long',
  record: 'an entity or a record',
  set: 'a Set',
};

export class Terms {
  readonly facts: FactTable;
  readonly side: CedarSide;
  readonly target: ReachTarget;
  readonly caller: CallerWords;

  constructor(factTable: FactTable, side: CedarSide, target: ReachTarget, caller: CallerWords) {
    this.facts = factTable;
    this.side = side;
    this.target = target;
    this.caller = caller;
  }

  resource(): EntityUid {
    const { action } = this.target;
    const { type } = CEDAR_ACTIONS[action];
    return { type, id: this.target.type === 'named' ? this.target.name : '' };
  }

  /** @param shown the term for people */
  isType(term: string, type: TermType, shown = term): Fn {
    if (term === NAME) return type === 'text' ? TRUE : FALSE;
    if (term.endsWith('context.claim_sub')) return type === 'text' ? TRUE : FALSE;
    const [attribute = ''] = term.split(DERIVED, 1);
    if (attribute.startsWith('resource.') && HINTS.has(attribute.slice('resource.'.length)))
      return type === 'boolean' ? TRUE : FALSE;
    return this.facts.getVariable(`${shown} is ${TYPE_TEXTS[type]}`, { kind: 'type', term, type });
  }

  equals(term: string, value: CedarValueJson, text: string): Fn {
    return this.facts.getVariable(text, { kind: 'equals', term, value: formatCanonical(value) });
  }

  /** Whether an integer is less than a bound. @param text such as `context.arg_amount <= 999` for the bound 1000 */
  isBelow(term: string, bound: number, text: string): Fn {
    return this.facts.getVariable(text, { kind: 'below', term, bound });
  }

  isCaller(id: string): Fn {
    const { isAnonymous, prefix } = this.caller;
    if (isAnonymous) return id === ANONYMOUS_PRINCIPAL.id ? TRUE : FALSE;
    const term = `${prefix}context.claim_sub`;
    return this.facts.getVariable(`${prefix}principal == Client::${JSON.stringify(id)}`, {
      kind: 'equals',
      term,
      value: JSON.stringify(id),
    });
  }

  isNamed(id: string): Fn {
    if (this.target.type === 'named') return this.target.name === id ? TRUE : FALSE;
    if (!this.target.mayBe(id)) return FALSE;
    return this.equals(NAME, id, `${this.nameText()} == ${JSON.stringify(id)}`);
  }

  nameText(): string {
    return `resource.${CEDAR_ACTIONS[this.target.action].naming}`;
  }

  /** @param identity differs for different facts with the same text */
  fact(text: string, identity = text): Fn {
    return this.facts.getVariable(text, { kind: 'other', identity: `${this.caller.prefix}${identity}` });
  }

  /** A text that depends on everything that this side decides, so that it is equal only for equal sides. */
  sideText(): string {
    const { entityTag, groupClaims, groupType, roleClaim, multiValuedClaims, policies } = this.side;
    return ` of ${this.caller.prefix}${formatSortedJson([entityTag, groupClaims, groupType, roleClaim, multiValuedClaims, policies, this.target.action])}`;
  }
}
