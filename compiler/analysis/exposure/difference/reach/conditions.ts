/**
 * A condition of a policy as two functions of facts: where it holds, and where evaluating it fails. An expression without an exact translation
 * becomes one fact, identified by its text.
 */
import { ANONYMOUS_PRINCIPAL, CEDAR_ACTIONS, type EntityUid } from '#schemas';
import {
  type CedarValueJson,
  type Expr,
  formatEntityUid,
  isSameEntity,
  type Node,
  readEntityUid,
  toNode,
} from '../../../cedar/expression.ts';
import { printOver } from '../../../cedar/print.ts';
import { formatSortedJson } from '../../plan/sorted-json.ts';
import { Attributes } from './attributes.ts';
import { FALSE, type Fn, TRUE } from './bdd.ts';
import { matches, type Pattern } from './facts.ts';
import { buildMembership } from './membership.ts';
import { mayFit } from './target.ts';
import { NAME, type Terms } from './terms.ts';
import {
  formatKnown,
  formatValue,
  isSameText,
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

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#attributes = new Attributes(terms);
  }

  evaluate(expr: Expr): Truth {
    return this.#toTruth(this.#evaluate(expr));
  }

  #toTruth(value: PartialValue): Truth {
    if (value.kind === 'truth') return value.truth;
    if (value.kind === 'known') {
      if (typeof value.value !== 'boolean') return { holds: FALSE, fails: TRUE };
      return { holds: value.value ? TRUE : FALSE, fails: FALSE };
    }
    const { text, fails } = value;
    const bad = this.#or(fails, this.#not(this.#terms.isType(text, 'boolean')));
    return { holds: this.#and(this.#terms.equals(text, true, text), this.#not(bad)), fails: bad };
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
        return toTruthValue(this.#not(this.#or(holds, fails)), fails, 'not');
      }
      case 'if':
        return this.#evaluateChoice(node);
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

  /** `left < right`, or `left <= right`. */
  #order(node: Node, order: { isOrEqual: boolean; left: Expr; right: Expr }): PartialValue {
    const [left, right] = [this.#evaluate(order.left), this.#evaluate(order.right)];
    if (left.kind === 'open' && isLong(right)) {
      const bad = this.#or(left.fails, this.#not(this.#terms.isType(left.text, 'long')));
      return toTruthValue(
        this.#and(this.#below(left.text, right.value, order.isOrEqual), this.#not(bad)),
        bad,
        node.op,
      );
    }
    if (right.kind === 'open' && isLong(left)) {
      const bad = this.#or(right.fails, this.#not(this.#terms.isType(right.text, 'long')));
      const isBelow = this.#below(right.text, left.value, !order.isOrEqual);
      return toTruthValue(this.#and(this.#not(isBelow), this.#not(bad)), bad, node.op);
    }
    return this.#toOpaque(node);
  }

  #below(term: string, limit: number, isOrEqual: boolean): Fn {
    return this.#terms.isBelow(term, isOrEqual ? limit + 1 : limit, `${term} ${isOrEqual ? '<=' : '<'} ${limit}`);
  }

  /** A number that JSON rounds may be equal here and different in Cedar. */
  #toPlainValue(value: CedarValueJson): PartialValue {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
      return {
        kind: 'open',
        text: `${value} of ${this.#terms.caller.prefix}${formatSortedJson(this.#terms.side.policies)}`,
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
    // Cedar evaluates the next operand only while the result is open.
    const goesOn = op === '&&' ? a.holds : this.#not(this.#or(a.holds, a.fails));
    if (goesOn === FALSE) return toTruthValue(a.holds, a.fails, op);
    const b = this.evaluate(right);
    const holds = op === '&&' ? this.#and(a.holds, b.holds) : this.#or(a.holds, this.#and(goesOn, b.holds));
    return toTruthValue(holds, this.#or(a.fails, this.#and(goesOn, b.fails)), op);
  }

  #evaluateChoice(node: Extract<Node, { op: 'if' }>): PartialValue {
    const test = this.evaluate(node.test);
    if (test.holds === TRUE) return this.#evaluate(node.yes);
    const otherwise = this.#not(this.#or(test.holds, test.fails));
    if (otherwise === TRUE) return this.#evaluate(node.no);
    const [yes, no] = [this.evaluate(node.yes), this.evaluate(node.no)];
    const by = (a: Fn, b: Fn) => this.#or(this.#and(test.holds, a), this.#and(otherwise, b));
    // As a condition its branches are not Boolean, so it fails; as a value it is one fact.
    if (yes.fails === TRUE || no.fails === TRUE) return this.#toOpaque(node);
    return toTruthValue(by(yes.holds, no.holds), this.#or(test.fails, by(yes.fails, no.fails)), 'if');
  }

  #evaluatePresence(left: PartialValue, [attr = '', ...deeper]: readonly string[]): PartialValue {
    const own = this.#has(left, attr);
    if (deeper.length === 0) return toTruthValue(own.holds, own.fails, `has ${attr}`);
    const below = this.#toTruth(this.#evaluatePresence(this.#evaluateAccess(left, attr), deeper));
    return toTruthValue(
      this.#and(own.holds, below.holds),
      this.#or(own.fails, this.#and(own.holds, below.fails)),
      `has ${attr}.${deeper.join('.')}`,
    );
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
    if (holder.kind === 'none') return { kind: 'truth', truth: { holds: FALSE, fails: TRUE }, text: attr };
    if (holder.kind === 'known') {
      if (Object.hasOwn(holder.attrs, attr)) return this.#toPlainValue(holder.attrs[attr] as CedarValueJson);
      return { kind: 'truth', truth: { holds: FALSE, fails: TRUE }, text: attr };
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
    if (left.kind === 'truth') return toTruthValue(FALSE, TRUE, 'like');
    if (left.kind === 'known')
      return typeof left.value === 'string'
        ? toKnownValue(matches(left.value, pattern))
        : toTruthValue(FALSE, TRUE, 'like');
    if (left.text === NAME && this.#terms.target.type === 'any' && !mayFit(this.#terms.target, pattern))
      return toKnownValue(false);
    const bad = this.#or(left.fails, this.#not(this.#terms.isType(left.text, 'text')));
    const shown = pattern.map(part => (part === 'Wildcard' ? '*' : part.Literal.replaceAll('*', '\\*'))).join('');
    const term = left.text === NAME ? this.#terms.nameText() : left.text;
    const fact = this.#terms.facts.getVariable(`${term} like ${JSON.stringify(shown)}`, {
      kind: 'like',
      term: left.text,
      pattern,
    });
    return toTruthValue(this.#and(fact, this.#not(bad)), bad, 'like');
  }

  #list(elements: readonly Expr[]): PartialValue {
    const values = elements.map(element => this.#evaluate(element));
    const all = values.flatMap(value => (value.kind === 'known' ? [value.value] : []));
    if (all.length === values.length) return toKnownValue(all);
    const text = `[${values.map(formatValue).join(', ')}]`;
    return { kind: 'open', text, fails: this.#or(...values.map(toFailure)) };
  }

  #evaluateEquality(op: '==' | '!=', left: PartialValue, right: PartialValue): PartialValue {
    const fails = this.#or(toFailure(left), toFailure(right));
    const same = this.#compareValues(left, right);
    return toTruthValue(this.#and(op === '==' ? same : this.#not(same), this.#not(fails)), fails, op);
  }

  #compareValues(left: PartialValue, right: PartialValue): Fn {
    if (left.kind === 'known' && right.kind === 'known') return isSameText(left.value, right.value) ? TRUE : FALSE;
    const [open, other] = left.kind === 'known' ? [right, left] : [left, right];
    if (other.kind !== 'known' || open.kind !== 'open') {
      const [a, b] = [formatValue(left), formatValue(right)].sort();
      if (a === b && left.kind === 'open') return TRUE;
      return this.#terms.fact(
        `${a} == ${b}${left.kind === 'truth' || right.kind === 'truth' ? this.#terms.sideText() : ''}`,
      );
    }
    const uid = readEntityUid(other.value);
    if (open.text === 'principal') {
      return uid?.type === 'Client' ? this.#terms.isCaller(uid.id) : FALSE;
    }
    if (open.text === 'resource') {
      return uid?.type === CEDAR_ACTIONS[this.#terms.target.action].type ? this.#terms.isNamed(uid.id) : FALSE;
    }
    if (open.text === NAME) return typeof other.value === 'string' ? this.#terms.isNamed(other.value) : FALSE;
    return this.#terms.equals(open.text, other.value, `${open.text} == ${formatKnown(other.value)}`);
  }

  #evaluateIn(left: PartialValue, right: PartialValue): PartialValue {
    if (left.kind === 'truth' || right.kind === 'truth') return toTruthValue(FALSE, TRUE, 'in');
    const ancestors =
      right.kind === 'known' ? [right.value].flat().map(one => readEntityUid(one as CedarValueJson)) : undefined;
    if (ancestors === undefined)
      return this.#toOpaqueText(`${formatValue(left)} in ${formatValue(right)}${this.#terms.sideText()}`);
    if (ancestors.includes(undefined)) return toTruthValue(FALSE, TRUE, 'in');
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
      if (left.text === 'principal') return toTruthValue(isIn('caller'), FALSE, 'in');
      if (left.text === 'resource') return toTruthValue(isIn('resource'), FALSE, 'in');
      return this.#toOpaqueText(`${left.text} in ${formatValue(right)}${this.#terms.sideText()}`);
    }
    const uid = readEntityUid(left.value);
    if (uid === undefined) return toTruthValue(FALSE, TRUE, 'in');
    if (this.#terms.target.type === 'named' && isSameEntity(uid, this.#terms.resource()))
      return toTruthValue(this.#or(isIn(uid), isIn({ type: 'MCP', id: this.#terms.side.server })), FALSE, 'in');
    const isAnonymous = this.#terms.caller.isAnonymous && isSameEntity(uid, ANONYMOUS_PRINCIPAL);
    // The groups of a named Client depend on the request.
    if (uid.type === 'Client' && !isAnonymous)
      return this.#toOpaqueText(`${formatEntityUid(uid)} in ${formatValue(right)}${this.#terms.sideText()}`);
    return toTruthValue(isIn(uid), FALSE, 'in');
  }

  #contains(op: 'contains' | 'containsAny' | 'containsAll', left: PartialValue, right: PartialValue): PartialValue {
    if (left.kind === 'truth' || right.kind === 'truth') return this.#toOpaqueText(`${op}${this.#terms.sideText()}`);
    if (left.kind === 'known' && !Array.isArray(left.value)) return toTruthValue(FALSE, TRUE, op);
    if (op !== 'contains' && right.kind === 'known' && !Array.isArray(right.value))
      return toTruthValue(FALSE, TRUE, op);
    if (left.kind === 'known' && op === 'contains') {
      const all = left.value as readonly CedarValueJson[];
      const found = all.map(value => this.#compareValues({ kind: 'known', value }, right));
      const fails = toFailure(right);
      return toTruthValue(this.#and(this.#or(...found), this.#not(fails)), fails, op);
    }
    if (right.kind === 'open' || left.kind === 'known') {
      if (left.kind !== 'known' || right.kind !== 'known')
        return this.#toOpaqueText(`${formatValue(left)}.${op}(${formatValue(right)})`);
      const has = (value: CedarValueJson) =>
        (left.value as readonly CedarValueJson[]).some(one => isSameText(one, value));
      const wanted = right.value as readonly CedarValueJson[];
      return toKnownValue(op === 'containsAll' ? wanted.every(has) : wanted.some(has));
    }
    const fails = CLAIM_SET.test(left.text)
      ? left.fails
      : this.#or(left.fails, this.#not(this.#terms.isType(left.text, 'set')));
    const wanted = op === 'contains' ? [right.value] : (right.value as readonly CedarValueJson[]);
    const each = wanted.map(value => this.#terms.fact(`${left.text}.contains(${formatKnown(value)})`));
    const holds = op === 'containsAll' ? this.#and(...each) : this.#or(...each);
    return toTruthValue(this.#and(holds, this.#not(fails)), fails, op);
  }

  #toOpaque(node: Node): PartialValue {
    const operands = new Map<Expr, PartialValue>();
    const valueText = (expr: Expr) => {
      const value = this.#evaluate(expr);
      operands.set(expr, value);
      return formatValue(value);
    };
    const text = printOver(node, valueText);
    const all = [...operands.values()];
    // Which entities are in which others differs by side, and so do parts that are functions of facts.
    const isOwn =
      node.op === 'Record' ||
      node.op === 'if' ||
      (node.op === 'is' && node.in !== undefined) ||
      all.some(({ kind }) => kind === 'truth');
    const shown = isOwn ? `${text}${formatSortedJson(node)}${this.#terms.sideText()}` : text;
    const fails = this.#or(...all.map(toFailure), this.#terms.fact(`${shown} cannot be evaluated`));
    if (!isBoolean(node)) return { kind: 'open', text: shown, fails };
    return toTruthValue(this.#and(this.#terms.fact(shown), this.#not(fails)), fails, shown);
  }

  /** A fact whose evaluation may fail. */
  #toOpaqueText(text: string): PartialValue {
    const fails = this.#terms.fact(`${text} cannot be evaluated`);
    return toTruthValue(this.#and(this.#terms.fact(text), this.#not(fails)), fails, text);
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

/** Operators and functions whose result is Boolean wherever evaluating them does not fail. */
const BOOLEAN_OPERATORS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'is', 'isEmpty', 'hasTag']);
const BOOLEAN_FUNCTIONS: ReadonlySet<string> = new Set([
  'isIpv4',
  'isIpv6',
  'isLoopback',
  'isMulticast',
  'isInRange',
  'lessThan',
  'lessThanOrEqual',
  'greaterThan',
  'greaterThanOrEqual',
]);

function isBoolean(node: Node): boolean {
  return node.op === 'call' ? BOOLEAN_FUNCTIONS.has(node.name) : BOOLEAN_OPERATORS.has(node.op);
}

/** The next integer must be exact as well. */
function isLong(value: PartialValue): value is { readonly kind: 'known'; readonly value: number } {
  return (
    value.kind === 'known' && Number.isSafeInteger(value.value) && (value.value as number) < Number.MAX_SAFE_INTEGER
  );
}
