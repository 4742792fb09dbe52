/** Finds the value that has the attribute which a condition reads. */
import { isObject } from '#schemas';
import { ANONYMOUS_PRINCIPAL, CEDAR_ACTIONS } from '#shared/plan';
import { type CedarValueJson, formatEntityUid, isSameEntity, readEntityUid } from '../../../cedar/expression.ts';
import { printAccess, printAttributeName } from '../../../cedar/print.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import { DERIVED, DERIVED_HINTS, HINTS, NAME, type Terms } from './terms.ts';
import type { PartialValue } from './truth.ts';

/**
 * The source of attributes: a value without attributes, a value whose attributes the plan states, or a part of the request at a path with
 * the same meaning on both sides.
 */
export type AttributeHolder =
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly attrs: Readonly<Record<string, CedarValueJson>> }
  | OpenHolder;

interface OpenHolder {
  readonly kind: 'open';
  readonly path: string;
  /** The text of the fact that the attribute exists, such as `context has arg_amount`. */
  readonly has: string;
  readonly fails: Fn;
  /** The function that says where the attribute exists, if it is known. */
  readonly presence?: Fn;
}

export class Attributes {
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  findHolder(left: PartialValue, attr: string): AttributeHolder {
    const { isAnonymous, prefix } = this.#terms.caller;
    const { diagrams } = this.#terms.facts;
    if (left.kind === 'truth') return { kind: 'none' };
    if (left.kind === 'open') {
      if (left.text === 'context') return this.#getContextHolder(attr);
      if (left.text === 'resource') return this.#getResourceHolder(attr);
      if (left.text === 'principal') {
        const isDeclared = [...this.#terms.side.statics].some(
          ([key, { attrs }]) => key.startsWith('Client::') && attr in attrs,
        );
        if (!isDeclared && /^claim(?:set)?_/.test(attr)) return this.#getContextHolder(attr);
        return open(`${prefix}principal`, attr, { note: isDeclared ? this.#terms.side.entityTag : '' });
      }
      const isRecord = this.#terms.isType(left.text, 'record');
      return open(left.text, attr, { fails: diagrams.or(left.fails, diagrams.not(isRecord)) });
    }
    const uid = readEntityUid(left.value);
    if (uid === undefined) {
      return isObject(left.value) && !('__extn' in left.value)
        ? { kind: 'known', attrs: left.value as Readonly<Record<string, CedarValueJson>> }
        : { kind: 'none' };
    }
    const own = this.#terms.side.statics.get(formatEntityUid(uid))?.attrs ?? {};
    if (this.#terms.target.type === 'named' && isSameEntity(uid, this.#terms.resource())) {
      // An attribute that the spec gives the entity stands in for an argument that the call lacks.
      if (attr.startsWith('arg_'))
        return Object.hasOwn(own, attr)
          ? open('resource', attr, { note: this.#terms.side.entityTag })
          : this.#getContextHolder(attr);
      const { action, name, hints, derivedFrom } = this.#terms.target;
      if (derivedFrom !== null && DERIVED_HINTS.has(attr) && hints[attr] === undefined)
        return open('resource', attr, { note: `${DERIVED}${derivedFrom}` });
      const { naming, operation, feature } = CEDAR_ACTIONS[action];
      return { kind: 'known', attrs: { ...own, [naming]: name, operation, feature, ...hints } };
    }
    const { type } = CEDAR_ACTIONS[this.#terms.target.action];
    const isOpen = uid.type === 'Client' ? !(isAnonymous && isSameEntity(uid, ANONYMOUS_PRINCIPAL)) : uid.type === type;
    if (!isOpen || (this.#terms.target.type === 'named' && uid.type === type)) return { kind: 'known', attrs: own };
    return open(`${prefix}${formatEntityUid(uid)}`, attr, { note: this.#terms.side.entityTag });
  }

  #getContextHolder(attr: string): AttributeHolder {
    const { isAnonymous, prefix } = this.#terms.caller;
    if (attr.startsWith('arg_')) {
      if (this.#terms.target.action === 'read_resource') return open('context', attr, { presence: FALSE });
      return open('context', attr);
    }
    const [, set = '', claim] = /^claim(set)?_(.*)$/s.exec(attr) ?? [];
    if (claim === undefined || isAnonymous) return open('context', attr, { presence: FALSE });
    const isSet = this.#terms.side.multiValuedClaims.includes(claim);
    if (set !== '' && !isSet) return open('context', attr, { presence: FALSE });
    return open(`${prefix}context`, attr, {
      note: isSet && set === '' ? ' (as one text)' : '',
      ...(claim === 'sub' && set === '' ? { presence: TRUE } : {}),
    });
  }

  #getResourceHolder(attr: string): AttributeHolder {
    const { naming, operation, feature, type } = CEDAR_ACTIONS[this.#terms.target.action];
    if (attr === naming) return { ...open('resource', attr, { presence: TRUE }), path: NAME };
    if (attr === 'operation') return { kind: 'known', attrs: { operation } };
    if (attr === 'feature') return { kind: 'known', attrs: { feature } };
    const isDeclared = [...this.#terms.side.statics].some(
      ([key, { attrs }]) => key.startsWith(`${type}::`) && attr in attrs,
    );
    if (isDeclared) return open('resource', attr, { note: this.#terms.side.entityTag });
    if (attr.startsWith('arg_')) return this.#getContextHolder(attr);
    const isHint = this.#terms.target.action === 'call_tool' && HINTS.has(attr);
    return open('resource', attr, isHint ? {} : { presence: FALSE });
  }
}

/** @param note distinguishes attributes with the same path and different meanings */
function open(
  owner: string,
  attr: string,
  { note = '', fails = FALSE, presence }: { note?: string; fails?: Fn; presence?: Fn } = {},
): OpenHolder {
  return {
    kind: 'open',
    path: `${owner}${printAccess(attr)}${note}`,
    has: `${owner} has ${printAttributeName(attr)}${note}`,
    fails,
    ...(presence === undefined ? {} : { presence }),
  };
}
