/**
 * A condition of a policy as two functions of facts: where it holds, and where evaluating it fails. What is not understood exactly
 * becomes a fact of its own, by its text.
 */
import { ANONYMOUS_PRINCIPAL, CEDAR_ACTIONS, type EntityUid, isObject } from '#schemas';
import {
  type CedarValueJson,
  type Expr,
  formatEntityUid,
  isSameEntity,
  type Node,
  readEntityUid,
  toNode,
} from '../../../cedar/expression.ts';
import { sortedJson } from '../../plan/sorted-json.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import { type FactTable, matches, type Pattern } from './facts.ts';
import { membership } from './membership.ts';
import type { CedarSide } from './side.ts';
import { mayFit, type Target } from './target.ts';

/** Where something is true and where it cannot be evaluated; never both. */
export interface Truth {
  readonly holds: Fn;
  readonly fails: Fn;
}

type Value =
  | { readonly kind: 'known'; readonly value: CedarValueJson }
  | { readonly kind: 'truth'; readonly truth: Truth; readonly text: string }
  /** Only a request tells it; equal texts are equal values. */
  | { readonly kind: 'open'; readonly text: string; readonly fails: Fn };

/** Who calls, in words that are the same on both sides only where the callers are. */
export interface CallerWords {
  readonly isAnonymous: boolean;
  /** Put before everything that is asked of the caller. */
  readonly prefix: string;
}

const HINTS = new Set(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']);
/** Those that a workflow gets from the tools that it calls. */
const DERIVED_HINTS = new Set(['readOnlyHint', 'destructiveHint', 'openWorldHint']);
const DERIVED = ' of a workflow that calls ';
const NAME = 'resource name';

export class Conditions {
  readonly #facts: FactTable;
  readonly #side: CedarSide;
  readonly #target: Target;
  readonly #caller: CallerWords;

  constructor(facts: FactTable, side: CedarSide, target: Target, caller: CallerWords) {
    this.#facts = facts;
    this.#side = side;
    this.#target = target;
    this.#caller = caller;
  }

  truthOf(expr: Expr): Truth {
    return this.#truth(this.#value(expr));
  }

  #truth(value: Value): Truth {
    if (value.kind === 'truth') return value.truth;
    if (value.kind === 'known') {
      if (typeof value.value !== 'boolean') return { holds: FALSE, fails: TRUE };
      return { holds: value.value ? TRUE : FALSE, fails: FALSE };
    }
    const { text, fails } = value;
    const bad = this.#or(fails, this.#not(this.#isType(text, 'boolean')));
    return { holds: this.#and(this.#equals(text, true, text), this.#not(bad)), fails: bad };
  }

  #value(expr: Expr): Value {
    const node = toNode(expr);
    switch (node.op) {
      case 'Value':
        return this.#plain(node.value);
      case 'Var':
        return this.#variable(node.name);
      case '&&':
      case '||':
        return this.#junction(node.op, node.left, node.right);
      case '!': {
        const { holds, fails } = this.truthOf(node.arg);
        return truth(this.#not(this.#or(holds, fails)), fails, 'not');
      }
      case 'if':
        return this.#choice(node);
      case 'has':
        return this.#presence(this.#value(node.left), node.attrs);
      case '.':
        return this.#access(this.#value(node.left), node.attr);
      case 'is':
        return this.#typeTest(node);
      case 'like':
        return this.#like(this.#value(node.left), node.pattern);
      case 'Set':
        return this.#list(node.elements);
      case '==':
      case '!=':
        return this.#equality(node.op, this.#value(node.left), this.#value(node.right));
      case 'in':
        return this.#within(this.#value(node.left), this.#value(node.right));
      case 'contains':
      case 'containsAny':
      case 'containsAll':
        return this.#contains(node.op, this.#value(node.left), this.#value(node.right));
      default:
        return this.#opaque(node);
    }
  }

  /** What does not survive JSON exactly may be equal here and another number in Cedar. */
  #plain(value: CedarValueJson): Value {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      return {
        kind: 'open',
        text: `${value} of ${this.#caller.prefix}${sortedJson(this.#side.policies)}`,
        fails: FALSE,
      };
    return { kind: 'known', value };
  }

  #variable(name: 'principal' | 'action' | 'resource' | 'context'): Value {
    if (name === 'action') return known(this.#entity({ type: 'Action', id: this.#target.action }));
    if (name === 'resource' && this.#target.type === 'named') return known(this.#entity(this.#resource()));
    if (name === 'principal' && this.#caller.isAnonymous) return known(this.#entity(ANONYMOUS_PRINCIPAL));
    return { kind: 'open', text: name, fails: FALSE };
  }

  #entity(uid: EntityUid): CedarValueJson {
    return { __entity: { type: uid.type, id: uid.id } };
  }

  #resource(): EntityUid {
    const { action } = this.#target;
    const { type } = CEDAR_ACTIONS[action];
    return { type, id: this.#target.type === 'named' ? this.#target.name : '' };
  }

  #junction(op: '&&' | '||', left: Expr, right: Expr): Value {
    const a = this.truthOf(left);
    // Cedar does not evaluate what cannot decide any more.
    const goesOn = op === '&&' ? a.holds : this.#not(this.#or(a.holds, a.fails));
    if (goesOn === FALSE) return truth(a.holds, a.fails, op);
    const b = this.truthOf(right);
    const holds = op === '&&' ? this.#and(a.holds, b.holds) : this.#or(a.holds, this.#and(goesOn, b.holds));
    return truth(holds, this.#or(a.fails, this.#and(goesOn, b.fails)), op);
  }

  #choice(node: Extract<Node, { op: 'if' }>): Value {
    const test = this.truthOf(node.test);
    if (test.holds === TRUE) return this.#value(node.yes);
    const otherwise = this.#not(this.#or(test.holds, test.fails));
    if (otherwise === TRUE) return this.#value(node.no);
    const [yes, no] = [this.truthOf(node.yes), this.truthOf(node.no)];
    const by = (a: Fn, b: Fn) => this.#or(this.#and(test.holds, a), this.#and(otherwise, b));
    // Where it is no condition, its branches are no truths, so that it fails: as a value it is a fact of its own.
    if (yes.fails === TRUE || no.fails === TRUE) return this.#opaque(node);
    return truth(by(yes.holds, no.holds), this.#or(test.fails, by(yes.fails, no.fails)), 'if');
  }

  #presence(left: Value, [attr = '', ...deeper]: readonly string[]): Value {
    const own = this.#has(left, attr);
    if (deeper.length === 0) return truth(own.holds, own.fails, `has ${attr}`);
    const below = this.#truth(this.#presence(this.#access(left, attr), deeper));
    return truth(
      this.#and(own.holds, below.holds),
      this.#or(own.fails, this.#and(own.holds, below.fails)),
      `has ${attr}.${deeper.join('.')}`,
    );
  }

  #has(left: Value, attr: string): Truth {
    const holder = this.#holder(left, attr);
    if (holder.kind === 'none') return { holds: FALSE, fails: TRUE };
    if (holder.kind === 'known') return { holds: Object.hasOwn(holder.attrs, attr) ? TRUE : FALSE, fails: FALSE };
    if (holder.presence !== undefined) return { holds: holder.presence, fails: holder.fails };
    const has = this.#facts.of(`${holder.path} is there`, { kind: 'has', term: holder.path });
    return { holds: this.#and(has, this.#not(holder.fails)), fails: holder.fails };
  }

  #access(left: Value, attr: string): Value {
    const holder = this.#holder(left, attr);
    if (holder.kind === 'none') return { kind: 'truth', truth: { holds: FALSE, fails: TRUE }, text: attr };
    if (holder.kind === 'known') {
      if (Object.hasOwn(holder.attrs, attr)) return this.#plain(holder.attrs[attr] as CedarValueJson);
      return { kind: 'truth', truth: { holds: FALSE, fails: TRUE }, text: attr };
    }
    const { holds, fails } = this.#has(left, attr);
    return { kind: 'open', text: holder.path, fails: this.#or(fails, this.#not(holds)) };
  }

  /** What tells an attribute: known ones, or the request under a path that means the same on both sides. */
  #holder(left: Value, attr: string): Holder {
    const { isAnonymous, prefix } = this.#caller;
    if (left.kind === 'truth') return { kind: 'none' };
    if (left.kind === 'open') {
      if (left.text === 'context') return this.#ofContext(attr);
      if (left.text === 'resource') return this.#ofAnyResource(attr);
      if (left.text === 'principal') {
        const isDeclared = [...this.#side.statics].some(
          ([key, { attrs }]) => key.startsWith('Client::') && attr in attrs,
        );
        if (!isDeclared && /^claim(?:set)?_/.test(attr)) return this.#ofContext(attr);
        return {
          kind: 'open',
          path: `${prefix}principal.${attr}${isDeclared ? this.#side.entityTag : ''}`,
          fails: FALSE,
        };
      }
      const isRecord = this.#isType(left.text, 'record');
      return { kind: 'open', path: `${left.text}.${attr}`, fails: this.#or(left.fails, this.#not(isRecord)) };
    }
    const uid = readEntityUid(left.value);
    if (uid === undefined) {
      return isObject(left.value) && !('__extn' in left.value)
        ? { kind: 'known', attrs: left.value as Readonly<Record<string, CedarValueJson>> }
        : { kind: 'none' };
    }
    const own = this.#side.statics.get(formatEntityUid(uid))?.attrs ?? {};
    if (this.#target.type === 'named' && isSameEntity(uid, this.#resource())) {
      if (attr.startsWith('arg_')) return this.#ofContext(attr);
      const { action, name, hints, derivedFrom } = this.#target;
      if (derivedFrom !== null && DERIVED_HINTS.has(attr) && hints[attr] === undefined)
        return { kind: 'open', path: `resource.${attr}${DERIVED}${derivedFrom}`, fails: FALSE };
      const { naming, operation, feature } = CEDAR_ACTIONS[action];
      return { kind: 'known', attrs: { ...own, [naming]: name, operation, feature, ...hints } };
    }
    const { type } = CEDAR_ACTIONS[this.#target.action];
    const isOpen = uid.type === 'Client' ? !(isAnonymous && isSameEntity(uid, ANONYMOUS_PRINCIPAL)) : uid.type === type;
    if (!isOpen || (this.#target.type === 'named' && uid.type === type)) return { kind: 'known', attrs: own };
    return { kind: 'open', path: `${prefix}${formatEntityUid(uid)}.${attr}${this.#side.entityTag}`, fails: FALSE };
  }

  #ofContext(attr: string): Holder {
    const { isAnonymous, prefix } = this.#caller;
    if (attr.startsWith('arg_')) {
      if (this.#target.action === 'read_resource') return { kind: 'open', path: attr, fails: FALSE, presence: FALSE };
      return { kind: 'open', path: `context.${attr}`, fails: FALSE };
    }
    const [, set = '', claim] = /^claim(set)?_(.*)$/s.exec(attr) ?? [];
    if (claim === undefined || isAnonymous) return { kind: 'open', path: attr, fails: FALSE, presence: FALSE };
    const isSet = this.#side.multiValuedClaims.includes(claim);
    if (set !== '' && !isSet) return { kind: 'open', path: attr, fails: FALSE, presence: FALSE };
    const path = `${prefix}context.${attr}${isSet && set === '' ? ' (as one text)' : ''}`;
    return { kind: 'open', path, fails: FALSE, ...(claim === 'sub' && set === '' ? { presence: TRUE } : {}) };
  }

  #ofAnyResource(attr: string): Holder {
    const { naming, operation, feature, type } = CEDAR_ACTIONS[this.#target.action];
    if (attr.startsWith('arg_')) return this.#ofContext(attr);
    if (attr === naming) return { kind: 'open', path: NAME, fails: FALSE, presence: TRUE };
    if (attr === 'operation') return { kind: 'known', attrs: { operation } };
    if (attr === 'feature') return { kind: 'known', attrs: { feature } };
    const isDeclared = [...this.#side.statics].some(([key, { attrs }]) => key.startsWith(`${type}::`) && attr in attrs);
    if (isDeclared) return { kind: 'open', path: `resource.${attr}${this.#side.entityTag}`, fails: FALSE };
    const isHint = this.#target.action === 'call_tool' && HINTS.has(attr);
    return { kind: 'open', path: `resource.${attr}`, fails: FALSE, ...(isHint ? {} : { presence: FALSE }) };
  }

  #typeTest({ left, type, in: within }: Extract<Node, { op: 'is' }>): Value {
    const value = this.#value(left);
    const own =
      value.kind === 'known'
        ? readEntityUid(value.value)?.type
        : value.kind === 'open' && value.text === 'principal'
          ? 'Client'
          : value.kind === 'open' && value.text === 'resource'
            ? CEDAR_ACTIONS[this.#target.action].type
            : undefined;
    if (own === undefined) return this.#opaque({ op: 'is', left, type, in: within });
    if (own !== type) return known(false);
    return within === undefined ? known(true) : this.#within(value, this.#value(within));
  }

  #like(left: Value, pattern: Pattern): Value {
    if (left.kind === 'truth') return truth(FALSE, TRUE, 'like');
    if (left.kind === 'known')
      return typeof left.value === 'string' ? known(matches(left.value, pattern)) : truth(FALSE, TRUE, 'like');
    if (left.text === NAME && this.#target.type === 'any' && !mayFit(this.#target, pattern)) return known(false);
    const bad = this.#or(left.fails, this.#not(this.#isType(left.text, 'text')));
    const shown = pattern.map(part => (part === 'Wildcard' ? '*' : part.Literal.replaceAll('*', '\\*'))).join('');
    const term = left.text === NAME ? this.#nameText() : left.text;
    const fact = this.#facts.of(`${term} like ${JSON.stringify(shown)}`, { kind: 'like', term: left.text, pattern });
    return truth(this.#and(fact, this.#not(bad)), bad, 'like');
  }

  #list(elements: readonly Expr[]): Value {
    const values = elements.map(element => this.#value(element));
    const all = values.flatMap(value => (value.kind === 'known' ? [value.value] : []));
    if (all.length === values.length) return known(all);
    const text = `[${values.map(formatValue).join(', ')}]`;
    return { kind: 'open', text, fails: this.#or(...values.map(value => this.#failing(value))) };
  }

  #equality(op: '==' | '!=', left: Value, right: Value): Value {
    const fails = this.#or(this.#failing(left), this.#failing(right));
    const same = this.#same(left, right);
    return truth(this.#and(op === '==' ? same : this.#not(same), this.#not(fails)), fails, op);
  }

  #same(left: Value, right: Value): Fn {
    if (left.kind === 'known' && right.kind === 'known') return sameText(left.value, right.value) ? TRUE : FALSE;
    const [open, other] = left.kind === 'known' ? [right, left] : [left, right];
    if (other.kind !== 'known' || open.kind !== 'open') {
      const [a, b] = [formatValue(left), formatValue(right)].sort();
      if (a === b && left.kind === 'open') return TRUE;
      return this.#fact(`${a} == ${b}${left.kind === 'truth' || right.kind === 'truth' ? this.#unique() : ''}`);
    }
    const uid = readEntityUid(other.value);
    if (open.text === 'principal') {
      return uid?.type === 'Client' ? this.#isCaller(uid.id) : FALSE;
    }
    if (open.text === 'resource') {
      return uid?.type === CEDAR_ACTIONS[this.#target.action].type ? this.#isNamed(uid.id) : FALSE;
    }
    if (open.text === NAME) return typeof other.value === 'string' ? this.#isNamed(other.value) : FALSE;
    return this.#equals(open.text, other.value, `${open.text} == ${sortedJson(other.value)}`);
  }

  #within(left: Value, right: Value): Value {
    if (left.kind === 'truth' || right.kind === 'truth') return truth(FALSE, TRUE, 'in');
    const ancestors =
      right.kind === 'known' ? [right.value].flat().map(one => readEntityUid(one as CedarValueJson)) : undefined;
    if (ancestors === undefined)
      return this.#opaquely(`${formatValue(left)} in ${formatValue(right)}${this.#unique()}`);
    if (ancestors.includes(undefined)) return truth(FALSE, TRUE, 'in');
    const all = ancestors as readonly EntityUid[];
    const who = { caller: (id: string) => this.#isCaller(id), name: (id: string) => this.#isNamed(id) };
    const { type } = CEDAR_ACTIONS[this.#target.action];
    const isIn = (start: 'caller' | 'resource' | EntityUid) =>
      this.#or(
        ...all.map(ancestor =>
          membership(start, ancestor, {
            facts: this.#facts,
            side: this.#side,
            resourceType: type,
            prefix: this.#caller.prefix,
            ...who,
          }),
        ),
      );
    if (left.kind === 'open') {
      if (left.text === 'principal') return truth(isIn('caller'), FALSE, 'in');
      if (left.text === 'resource') return truth(isIn('resource'), FALSE, 'in');
      return this.#opaquely(`${left.text} in ${formatValue(right)}${this.#unique()}`);
    }
    const uid = readEntityUid(left.value);
    if (uid === undefined) return truth(FALSE, TRUE, 'in');
    if (this.#target.type === 'named' && isSameEntity(uid, this.#resource()))
      return truth(this.#or(isIn(uid), isIn({ type: 'MCP', id: this.#side.server })), FALSE, 'in');
    const isAnonymous = this.#caller.isAnonymous && isSameEntity(uid, ANONYMOUS_PRINCIPAL);
    // Which groups a Client that is named is in, only the request tells.
    if (uid.type === 'Client' && !isAnonymous)
      return this.#opaquely(`${formatEntityUid(uid)} in ${formatValue(right)}${this.#unique()}`);
    return truth(isIn(uid), FALSE, 'in');
  }

  #contains(op: 'contains' | 'containsAny' | 'containsAll', left: Value, right: Value): Value {
    if (left.kind === 'truth' || right.kind === 'truth') return this.#opaquely(`${op}${this.#unique()}`);
    if (left.kind === 'known' && !Array.isArray(left.value)) return truth(FALSE, TRUE, op);
    if (op !== 'contains' && right.kind === 'known' && !Array.isArray(right.value)) return truth(FALSE, TRUE, op);
    if (left.kind === 'known' && op === 'contains') {
      const all = left.value as readonly CedarValueJson[];
      const found = all.map(value => this.#same({ kind: 'known', value }, right));
      const fails = this.#failing(right);
      return truth(this.#and(this.#or(...found), this.#not(fails)), fails, op);
    }
    if (right.kind === 'open' || left.kind === 'known') {
      if (left.kind !== 'known' || right.kind !== 'known')
        return this.#opaquely(`${formatValue(left)}.${op}(${formatValue(right)})`);
      const has = (value: CedarValueJson) =>
        (left.value as readonly CedarValueJson[]).some(one => sameText(one, value));
      const wanted = right.value as readonly CedarValueJson[];
      return known(op === 'containsAll' ? wanted.every(has) : wanted.some(has));
    }
    const fails = /\bcontext\.claimset_\w+$/.test(left.text)
      ? left.fails
      : this.#or(left.fails, this.#not(this.#isType(left.text, 'set')));
    const wanted = op === 'contains' ? [right.value] : (right.value as readonly CedarValueJson[]);
    const each = wanted.map(value => this.#fact(`${left.text}.contains(${sortedJson(value)})`));
    const holds = op === 'containsAll' ? this.#and(...each) : this.#or(...each);
    return truth(this.#and(holds, this.#not(fails)), fails, op);
  }

  #opaque(node: Node): Value {
    const operands = Object.values(node).flatMap(part => (isObject(part) ? [this.#value(part as Expr)] : []));
    const lists = Object.values(node).flatMap(part =>
      Array.isArray(part) ? part.filter(isObject).map(one => this.#value(one as Expr)) : [],
    );
    const all = [...operands, ...lists];
    const rest = Object.entries(node).filter(([, part]) => !isObject(part) && !Array.isArray(part));
    const isOwn = node.op === 'Record' || node.op === 'if' || all.some(({ kind }) => kind === 'truth');
    const [first = '', ...others] = all.map(formatValue);
    const text = `${rest.map(([, part]) => String(part)).join(' ')}(${[first, ...others].join(', ')})`;
    const shown = isOwn ? `${text}${sortedJson(node)}${this.#unique()}` : text;
    const failing = this.#or(...all.map(value => this.#failing(value)));
    const own = this.#fact(`${shown} cannot be evaluated`);
    return { kind: 'open', text: shown, fails: this.#or(failing, own) };
  }

  /** A fact that may fail. */
  #opaquely(text: string): Value {
    const fails = this.#fact(`${text} cannot be evaluated`);
    return truth(this.#and(this.#fact(text), this.#not(fails)), fails, text);
  }

  /** Of what the whole side decides, so that it is the same only on equal sides. */
  #unique(): string {
    const { entityTag, groupClaims, groupType, roleClaim, multiValuedClaims, policies } = this.#side;
    return ` of ${this.#caller.prefix}${sortedJson([entityTag, groupClaims, groupType, roleClaim, multiValuedClaims, policies, this.#target.action])}`;
  }

  #failing(value: Value): Fn {
    return value.kind === 'known' ? FALSE : value.kind === 'open' ? value.fails : value.truth.fails;
  }

  #isType(term: string, type: 'text' | 'boolean' | 'record' | 'set'): Fn {
    if (term === NAME) return type === 'text' ? TRUE : FALSE;
    if (term.endsWith('context.claim_sub')) return type === 'text' ? TRUE : FALSE;
    const [attribute = ''] = term.split(DERIVED, 1);
    if (attribute.startsWith('resource.') && HINTS.has(attribute.slice('resource.'.length)))
      return type === 'boolean' ? TRUE : FALSE;
    return this.#facts.of(`${term} is a ${type}`, { kind: 'type', term, type });
  }

  #equals(term: string, value: CedarValueJson, text: string): Fn {
    return this.#facts.of(text, { kind: 'equals', term, value: sortedJson(value) });
  }

  #isCaller(id: string): Fn {
    const { isAnonymous, prefix } = this.#caller;
    if (isAnonymous) return id === ANONYMOUS_PRINCIPAL.id ? TRUE : FALSE;
    const term = `${prefix}context.claim_sub`;
    return this.#facts.of(`${prefix}principal == Client::${JSON.stringify(id)}`, {
      kind: 'equals',
      term,
      value: JSON.stringify(id),
    });
  }

  #isNamed(id: string): Fn {
    if (this.#target.type === 'named') return this.#target.name === id ? TRUE : FALSE;
    if (!this.#target.mayBe(id)) return FALSE;
    return this.#equals(NAME, id, `${this.#nameText()} == ${JSON.stringify(id)}`);
  }

  #nameText(): string {
    return `resource.${CEDAR_ACTIONS[this.#target.action].naming}`;
  }

  #fact(text: string): Fn {
    return this.#facts.of(text, { kind: 'other' });
  }

  #and(...all: readonly Fn[]): Fn {
    return this.#facts.diagrams.and(...all);
  }

  #or(...all: readonly Fn[]): Fn {
    return this.#facts.diagrams.or(...all);
  }

  #not(fn: Fn): Fn {
    return this.#facts.diagrams.not(fn);
  }
}

type Holder =
  | { readonly kind: 'none' }
  | { readonly kind: 'known'; readonly attrs: Readonly<Record<string, CedarValueJson>> }
  | { readonly kind: 'open'; readonly path: string; readonly fails: Fn; readonly presence?: Fn };

function known(value: CedarValueJson): Value {
  return { kind: 'known', value };
}

function truth(holds: Fn, fails: Fn, text: string): Value {
  return { kind: 'truth', truth: { holds, fails }, text };
}

function formatValue(value: Value): string {
  return value.kind === 'known' ? sortedJson(value.value) : value.text;
}

/** Sets are equal whatever the order of their members. */
function sameText(a: CedarValueJson, b: CedarValueJson): boolean {
  return setText(a) === setText(b);
}

function setText(value: CedarValueJson): string {
  return Array.isArray(value) ? `[${[...new Set(value.map(setText))].sort().join()}]` : sortedJson(value);
}
