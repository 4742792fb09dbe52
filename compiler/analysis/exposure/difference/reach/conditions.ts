/**
 * A condition of a policy as two functions of facts: where it holds, and where evaluating it fails. An expression without an exact translation
 * becomes one fact, identified by its operator and operands.
 */
import { ANONYMOUS_PRINCIPAL, CEDAR_ACTIONS, type EntityUid } from '#shared/plan';
import {
  type CedarValueJson,
  type Expr,
  isSameEntity,
  listOperands,
  type Node,
  readEntityUid,
  toNode,
} from '../../../cedar/expression.ts';
import { printPattern } from '../../../cedar/print.ts';
import { Attributes } from './attributes.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import { Equality } from './equality.ts';
import { matches, type Pattern, type TermType } from './facts.ts';
import { buildMembership } from './membership.ts';
import { OpaqueValues } from './opaque-values.ts';
import { mayFit } from './target.ts';
import { NAME, type Terms } from './terms.ts';
import {
  FAILURE,
  formatKnown,
  isSameValue,
  type OpenValue,
  type PartialValue,
  type Truth,
  toFailure,
  toKnownValue,
  toTruthValue,
} from './truth.ts';

/** A claim that the gateway passes as a set. */
const CLAIM_SET = /\bcontext(?:\.claimset_\w+|\["claimset_.*"\])$/s;

export class Conditions {
  readonly #terms: Terms;
  readonly #attributes: Attributes;
  readonly #equality: Equality;
  readonly #opaque: OpaqueValues;

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#attributes = new Attributes(terms);
    this.#equality = new Equality(terms);
    this.#opaque = new OpaqueValues(terms);
  }

  evaluate(expr: Expr): Truth {
    const node = toNode(expr);
    return node.op === 'if' ? this.#evaluateChoice(node) : this.#toTruth(this.#evaluate(expr));
  }

  #toTruth(value: PartialValue): Truth {
    if (value.kind === 'truth') return value.truth;
    if (value.kind === 'known') {
      if (typeof value.value !== 'boolean') return { holds: FALSE, fails: TRUE };
      return { holds: value.value ? TRUE : FALSE, fails: FALSE };
    }
    const { text, shown = text } = value;
    const bad = this.#failsUnless(value, 'boolean');
    return { holds: this.#and(this.#terms.equals(text, true, shown), this.#not(bad)), fails: bad };
  }

  #evaluate(expr: Expr): PartialValue {
    const node = toNode(expr);
    switch (node.op) {
      case 'Value':
        return this.#toPlainValue(node.value);
      case 'Var':
        return this.#evaluateVariable(node.name);
      case '&&':
      case '||':
        return this.#evaluateJunction(node.op, node.left, node.right);
      case '!': {
        const { holds, fails } = this.evaluate(node.arg);
        return toTruthValue(this.#not(this.#or(holds, fails)), fails);
      }
      case 'has':
        return this.#evaluatePresence(this.#evaluate(node.left), node.attrs);
      case '.':
        return this.#evaluateAccess(this.#evaluate(node.left), node.attr);
      case 'is':
        return this.#evaluateTypeTest(node);
      case 'like':
        return this.#evaluateLike(this.#evaluate(node.left), node.pattern);
      case 'Set':
        return this.#list(node.elements);
      case '==':
      case '!=':
        return this.#evaluateEquality(node.op, this.#evaluate(node.left), this.#evaluate(node.right));
      case 'in':
        return this.#evaluateIn(this.#evaluate(node.left), this.#evaluate(node.right));
      case 'contains':
      case 'containsAny':
      case 'containsAll':
        return this.#contains(node.op, this.#evaluate(node.left), this.#evaluate(node.right));
      case '<':
      case '<=':
        return this.#order(node, { isOrEqual: node.op === '<=', left: node.left, right: node.right });
      case '>':
      case '>=':
        return this.#order(node, { isOrEqual: node.op === '>=', left: node.right, right: node.left });
      default:
        return this.#toOpaque(node);
    }
  }

  /** The value of `left < right`, or of `left <= right`. */
  #order(node: Node, order: { isOrEqual: boolean; left: Expr; right: Expr }): PartialValue {
    const [left, right] = [this.#evaluate(order.left), this.#evaluate(order.right)];
    if (left.kind === 'open' && isLong(right)) {
      const bad = this.#failsUnless(left, 'long');
      return toTruthValue(this.#and(this.#below(left, right.value, order.isOrEqual), this.#not(bad)), bad);
    }
    if (right.kind === 'open' && isLong(left)) {
      const bad = this.#failsUnless(right, 'long');
      const isBelow = this.#below(right, left.value, !order.isOrEqual);
      return toTruthValue(this.#and(this.#not(isBelow), this.#not(bad)), bad);
    }
    return this.#toOpaque(node);
  }

  #below({ text, shown = text }: OpenValue, limit: number, isOrEqual: boolean): Fn {
    return this.#terms.isBelow(text, isOrEqual ? limit + 1 : limit, `${shown} ${isOrEqual ? '<=' : '<'} ${limit}`);
  }

  /** The function that says where a value cannot be evaluated, or has another type than an operator needs. */
  #failsUnless({ text, shown, type: own, fails }: OpenValue, type: TermType): Fn {
    if (own !== undefined) return own === type ? fails : TRUE;
    return this.#or(fails, this.#not(this.#terms.isType(text, type, shown)));
  }

  /** A value that the policy states. A number that JSON rounds counts as unknown: it may equal another number here and differ from it in Cedar. */
  #toPlainValue(value: CedarValueJson): PartialValue {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      return {
        kind: 'open',
        text: `${value}${this.#terms.sideText()}`,
        shown: String(value),
        fails: FALSE,
      };
    return { kind: 'known', value };
  }

  #evaluateVariable(name: 'principal' | 'action' | 'resource' | 'context'): PartialValue {
    if (name === 'action') return toKnownValue(this.#toEntityValue({ type: 'Action', id: this.#terms.target.action }));
    if (name === 'resource' && this.#terms.target.type === 'named')
      return toKnownValue(this.#toEntityValue(this.#terms.resource()));
    if (name === 'principal' && this.#terms.caller.isAnonymous)
      return toKnownValue(this.#toEntityValue(ANONYMOUS_PRINCIPAL));
    return { kind: 'open', text: name, fails: FALSE };
  }

  #toEntityValue(uid: EntityUid): CedarValueJson {
    return { __entity: { type: uid.type, id: uid.id } };
  }

  #evaluateJunction(op: '&&' | '||', left: Expr, right: Expr): PartialValue {
    const a = this.evaluate(left);
    // Cedar evaluates the next operand only while the result is undecided.
    const goesOn = op === '&&' ? a.holds : this.#not(this.#or(a.holds, a.fails));
    if (goesOn === FALSE) return toTruthValue(a.holds, a.fails);
    const b = this.evaluate(right);
    const holds = op === '&&' ? this.#and(a.holds, b.holds) : this.#or(a.holds, this.#and(goesOn, b.holds));
    return toTruthValue(holds, this.#or(a.fails, this.#and(goesOn, b.fails)));
  }

  /** Where a conditional is true, and where its evaluation fails. Cedar evaluates only one of the branches. */
  #evaluateChoice(node: Extract<Node, { op: 'if' }>): Truth {
    const test = this.evaluate(node.test);
    const otherwise = this.#not(this.#or(test.holds, test.fails));
    const [yes, no] = [this.evaluate(node.yes), this.evaluate(node.no)];
    const by = (a: Fn, b: Fn) => this.#or(this.#and(test.holds, a), this.#and(otherwise, b));
    return { holds: by(yes.holds, no.holds), fails: this.#or(test.fails, by(yes.fails, no.fails)) };
  }

  #evaluatePresence(left: PartialValue, [attr = '', ...deeper]: readonly string[]): PartialValue {
    const own = this.#has(left, attr);
    if (deeper.length === 0) return toTruthValue(own.holds, own.fails);
    const below = this.#toTruth(this.#evaluatePresence(this.#evaluateAccess(left, attr), deeper));
    return toTruthValue(this.#and(own.holds, below.holds), this.#or(own.fails, this.#and(own.holds, below.fails)));
  }

  #has(left: PartialValue, attr: string): Truth {
    const holder = this.#attributes.findHolder(left, attr);
    if (holder.kind === 'none') return { holds: FALSE, fails: TRUE };
    if (holder.kind === 'known') return { holds: Object.hasOwn(holder.attrs, attr) ? TRUE : FALSE, fails: FALSE };
    if (holder.presence !== undefined) return { holds: holder.presence, fails: holder.fails };
    const has = this.#terms.facts.getVariable(holder.has, { kind: 'has', term: holder.path });
    return { holds: this.#and(has, this.#not(holder.fails)), fails: holder.fails };
  }

  #evaluateAccess(left: PartialValue, attr: string): PartialValue {
    const holder = this.#attributes.findHolder(left, attr);
    if (holder.kind === 'none') return FAILURE;
    if (holder.kind === 'known') {
      if (Object.hasOwn(holder.attrs, attr)) return this.#toPlainValue(holder.attrs[attr] as CedarValueJson);
      return FAILURE;
    }
    const { holds, fails } = this.#has(left, attr);
    return { kind: 'open', text: holder.path, fails: this.#or(fails, this.#not(holds)) };
  }

  #evaluateTypeTest({ left, type, in: within }: Extract<Node, { op: 'is' }>): PartialValue {
    const value = this.#evaluate(left);
    const own =
      value.kind === 'known'
        ? readEntityUid(value.value)?.type
        : value.kind === 'open' && value.text === 'principal'
          ? 'Client'
          : value.kind === 'open' && value.text === 'resource'
            ? CEDAR_ACTIONS[this.#terms.target.action].type
            : undefined;
    if (own === undefined) return this.#toOpaque({ op: 'is', left, type, in: within });
    if (own !== type) return toKnownValue(false);
    return within === undefined ? toKnownValue(true) : this.#evaluateIn(value, this.#evaluate(within));
  }

  #evaluateLike(left: PartialValue, pattern: Pattern): PartialValue {
    if (left.kind === 'truth') return FAILURE;
    if (left.kind === 'known')
      return typeof left.value === 'string' ? toKnownValue(matches(left.value, pattern)) : FAILURE;
    if (left.text === NAME && this.#terms.target.type === 'any' && !mayFit(this.#terms.target, pattern))
      return toKnownValue(false);
    const bad = this.#failsUnless(left, 'text');
    const shown = left.text === NAME ? this.#terms.nameText() : (left.shown ?? left.text);
    const fact = this.#terms.facts.getVariable(`${shown} like ${printPattern(pattern)}`, {
      kind: 'like',
      term: left.text,
      pattern,
    });
    return toTruthValue(this.#and(fact, this.#not(bad)), bad);
  }

  #list(elements: readonly Expr[]): PartialValue {
    const values = elements.map(element => this.#evaluate(element));
    const all = values.flatMap(value => (value.kind === 'known' ? [value.value] : []));
    return all.length === values.length ? toKnownValue(all) : this.#toOpaque({ op: 'Set', elements });
  }

  #evaluateEquality(op: '==' | '!=', left: PartialValue, right: PartialValue): PartialValue {
    const fails = this.#or(toFailure(left), toFailure(right));
    const same = this.#equality.compare(left, right);
    return toTruthValue(this.#and(op === '==' ? same : this.#not(same), this.#not(fails)), fails);
  }

  #evaluateIn(left: PartialValue, right: PartialValue): PartialValue {
    if (left.kind === 'truth' || right.kind === 'truth') return FAILURE;
    const ancestors =
      right.kind === 'known' ? [right.value].flat().map(value => readEntityUid(value as CedarValueJson)) : undefined;
    if (ancestors === undefined) return this.#opaque.fromPair('in', left, right, this.#terms.sideText());
    if (ancestors.includes(undefined)) return FAILURE;
    const all = ancestors as readonly EntityUid[];
    const who = { caller: (id: string) => this.#terms.isCaller(id), name: (id: string) => this.#terms.isNamed(id) };
    const { type } = CEDAR_ACTIONS[this.#terms.target.action];
    const isIn = (start: 'caller' | 'resource' | EntityUid) =>
      this.#or(
        ...all.map(ancestor =>
          buildMembership(start, ancestor, {
            facts: this.#terms.facts,
            side: this.#terms.side,
            resourceType: type,
            prefix: this.#terms.caller.prefix,
            ...who,
          }),
        ),
      );
    if (left.kind === 'open') {
      if (left.text === 'principal') return toTruthValue(isIn('caller'), FALSE);
      if (left.text === 'resource') return toTruthValue(isIn('resource'), FALSE);
      return this.#opaque.fromPair('in', left, right, this.#terms.sideText());
    }
    const uid = readEntityUid(left.value);
    if (uid === undefined) return FAILURE;
    if (this.#terms.target.type === 'named' && isSameEntity(uid, this.#terms.resource()))
      return toTruthValue(this.#or(isIn(uid), isIn({ type: 'MCP', id: this.#terms.side.server })), FALSE);
    const isAnonymous = this.#terms.caller.isAnonymous && isSameEntity(uid, ANONYMOUS_PRINCIPAL);
    // The groups of a named Client depend on the request.
    if (uid.type === 'Client' && !isAnonymous) return this.#opaque.fromPair('in', left, right, this.#terms.sideText());
    return toTruthValue(isIn(uid), FALSE);
  }

  #contains(op: 'contains' | 'containsAny' | 'containsAll', left: PartialValue, right: PartialValue): PartialValue {
    if (left.kind === 'truth' || (right.kind === 'truth' && op !== 'contains')) return FAILURE;
    if (left.kind === 'known' && !Array.isArray(left.value)) return FAILURE;
    if (op !== 'contains' && right.kind === 'known' && !Array.isArray(right.value)) return FAILURE;
    if (left.kind === 'known' && op === 'contains') {
      const all = left.value as readonly CedarValueJson[];
      const found = all.map(value => this.#equality.compare({ kind: 'known', value }, right));
      const fails = toFailure(right);
      return toTruthValue(this.#and(this.#or(...found), this.#not(fails)), fails);
    }
    if (right.kind !== 'known' || left.kind === 'known') {
      if (left.kind !== 'known' || right.kind !== 'known') return this.#opaque.fromPair(op, left, right);
      const has = (value: CedarValueJson) =>
        (left.value as readonly CedarValueJson[]).some(element => isSameValue(element, value));
      const elements = right.value as readonly CedarValueJson[];
      return toKnownValue(op === 'containsAll' ? elements.every(has) : elements.some(has));
    }
    const fails = CLAIM_SET.test(left.text) ? left.fails : this.#failsUnless(left, 'set');
    const requiredValues = op === 'contains' ? [right.value] : (right.value as readonly CedarValueJson[]);
    const each = requiredValues.map(value =>
      this.#terms.fact(
        `${left.shown ?? left.text}.contains(${formatKnown(value)})`,
        `${left.text}.contains(${formatKnown(value)})`,
      ),
    );
    const holds = op === 'containsAll' ? this.#and(...each) : this.#or(...each);
    return toTruthValue(this.#and(holds, this.#not(fails)), fails);
  }

  #toOpaque(node: Node): PartialValue {
    // The evaluated branch is unknown, so the failures are unknown too.
    const operands = node.op === 'if' ? [] : listOperands(node).map(operand => this.#evaluate(operand));
    return this.#opaque.fromNode(node, operands);
  }

  #and(...all: readonly Fn[]): Fn {
    return this.#terms.facts.diagrams.and(...all);
  }

  #or(...all: readonly Fn[]): Fn {
    return this.#terms.facts.diagrams.or(...all);
  }

  #not(fn: Fn): Fn {
    return this.#terms.facts.diagrams.not(fn);
  }
}

/** The next integer must be exact as well. */
function isLong(value: PartialValue): value is { readonly kind: 'known'; readonly value: number } {
  return (
    value.kind === 'known' && Number.isSafeInteger(value.value) && (value.value as number) < Number.MAX_SAFE_INTEGER
  );
}
