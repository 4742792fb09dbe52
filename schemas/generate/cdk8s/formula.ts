/**
 * Parses CEL rules into formulas over which fields are present and which values they have: the rules that a union type can express. Any other
 * CEL throws an error that names it, so that no rule is overlooked.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#syntax
 */

/** Steps from `self`, such as `['config', 'rateLimiting']`. */
export type FieldPath = readonly string[];

export type Formula =
  | { readonly is: 'constant'; readonly value: boolean }
  /** Present, and also not empty when the rule asks for the size: a type cannot distinguish the two. */
  | { readonly is: 'present'; readonly path: FieldPath }
  | { readonly is: 'equals'; readonly path: FieldPath; readonly value: string | boolean }
  | { readonly is: 'not'; readonly of: Formula }
  | { readonly is: 'all' | 'any'; readonly of: readonly Formula[] }
  /** Both formulas are true, or both are false. */
  | { readonly is: 'same'; readonly of: readonly [Formula, Formula] }
  | { readonly is: 'at-most'; readonly count: number; readonly of: readonly Formula[] };

/** A part of CEL that depends on more than presence and single values. */
export class NoFormulaError extends Error {}

const TOKEN = /\s*(?:('(?:[^'\\]|\\.)*')|([A-Za-z_]\w*)|(\d+)|(&&|\|\||==|!=|<=|>=|[!<>()[\]?:.,]))/y;

/** @throws NoFormulaError naming the first part that cannot be expressed */
export function parseFormula(rule: string): Formula {
  return new Parser(rule).parseWhole();
}

class Parser {
  readonly #rule: string;
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(rule: string) {
    this.#rule = rule;
    this.#tokens = tokenize(rule);
  }

  parseWhole(): Formula {
    const formula = this.#parseChoice();
    if (this.#at < this.#tokens.length) this.#fail();
    return formula;
  }

  #parseChoice(): Formula {
    const condition = this.#parseAny();
    if (!this.#take('?')) return condition;
    const yes = this.#parseChoice();
    this.#requireToken(':');
    const no = this.#parseChoice();
    return {
      is: 'any',
      of: [
        { is: 'all', of: [condition, yes] },
        { is: 'all', of: [{ is: 'not', of: condition }, no] },
      ],
    };
  }

  #parseAny(): Formula {
    const parts = [this.#parseAll()];
    while (this.#take('||')) parts.push(this.#parseAll());
    return parts.length === 1 && parts[0] ? parts[0] : { is: 'any', of: parts };
  }

  #parseAll(): Formula {
    const parts = [this.#parseComparison()];
    while (this.#take('&&')) parts.push(this.#parseComparison());
    return parts.length === 1 && parts[0] ? parts[0] : { is: 'all', of: parts };
  }

  #parseComparison(): Formula {
    const left = this.#parseUnary();
    const operator = this.#take('==') ?? this.#take('!=');
    if (operator === undefined) return left;
    const text = this.#parseString();
    const same: Formula =
      text === undefined
        ? { is: 'same', of: [left, this.#parseUnary()] }
        : { ...requirePath(left, this.#rule), value: text };
    return operator === '==' ? same : { is: 'not', of: same };
  }

  #parseUnary(): Formula {
    if (this.#take('!')) return { is: 'not', of: this.#parseUnary() };
    if (this.#take('(')) {
      const inside = this.#parseChoice();
      this.#requireToken(')');
      return inside;
    }
    if (this.#take('has')) return { is: 'present', path: this.#parseParenthesized() };
    if (this.#take('size')) return this.#parseSize(this.#parseParenthesized());
    if (this.#take('[')) return this.#parseAtMost();
    if (this.#take('true')) return { is: 'constant', value: true };
    if (this.#take('false')) return { is: 'constant', value: false };
    return { is: 'equals', path: this.#parsePath(), value: true };
  }

  /** Parses a comparison of a size. Only `> 0` and `== 0` can be expressed as presence. */
  #parseSize(path: FieldPath): Formula {
    const present: Formula = { is: 'present', path };
    const operator = this.#take('>') ?? this.#take('==');
    if (operator === undefined) this.#fail();
    this.#requireToken('0');
    return operator === '>' ? present : { is: 'not', of: present };
  }

  /** `[a, b].filter(x, x).size() <= 1` limits how many of the conditions hold. */
  #parseAtMost(): Formula {
    const of = [this.#parseChoice()];
    while (this.#take(',')) of.push(this.#parseChoice());
    for (const token of [']', '.', 'filter', '(', 'x', ',', 'x', ')', '.', 'size', '(', ')', '<='])
      this.#requireToken(token);
    const count = Number(this.#peekNext());
    if (!Number.isInteger(count)) this.#fail();
    return { is: 'at-most', count, of };
  }

  #parseParenthesized(): FieldPath {
    this.#requireToken('(');
    const path = this.#parsePath();
    this.#requireToken(')');
    return path;
  }

  #parsePath(): FieldPath {
    this.#requireToken('self');
    const path: string[] = [];
    while (this.#take('.')) path.push(this.#peekNext() ?? '');
    if (path.length === 0 || this.#tokens[this.#at] === '(') this.#fail();
    return path;
  }

  #parseString(): string | undefined {
    const token = this.#tokens[this.#at];
    if (!token?.startsWith("'")) return undefined;
    this.#at += 1;
    return token.slice(1, -1);
  }

  #take(token: string): string | undefined {
    if (this.#tokens[this.#at] !== token) return undefined;
    this.#at += 1;
    return token;
  }

  #peekNext(): string | undefined {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    return token;
  }

  #requireToken(token: string): void {
    if (this.#take(token) === undefined) this.#fail();
  }

  #fail(): never {
    throw new NoFormulaError(`not understood at "${this.#tokens.slice(this.#at).join(' ')}": ${this.#rule}`);
  }
}

function tokenize(rule: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < rule.trimEnd().length) {
    const from = TOKEN.lastIndex;
    const match = TOKEN.exec(rule);
    if (!match) throw new NoFormulaError(`not understood at "${rule.slice(from).trim()}": ${rule}`);
    tokens.push(match.slice(1).find(part => part !== undefined) ?? '');
  }
  return tokens;
}

/** The left side of a comparison with a string was parsed as a bare field. */
function requirePath(formula: Formula, rule: string): { is: 'equals'; path: FieldPath } {
  if (formula.is !== 'equals') throw new NoFormulaError(`only a field can equal a text: ${rule}`);
  return { is: 'equals', path: formula.path };
}

/** Every field that occurs in a formula, once. */
export function collectPaths(formula: Formula): FieldPath[] {
  switch (formula.is) {
    case 'constant':
      return [];
    case 'present':
    case 'equals':
      return [formula.path];
    case 'not':
      return collectPaths(formula.of);
    default:
      return formula.of.flatMap(collectPaths);
  }
}

/** @param read returns the value of a field: `undefined` when absent; a value that is neither a string nor a boolean only counts as present */
export function holds(formula: Formula, read: (path: FieldPath) => unknown): boolean {
  const test = (part: Formula): boolean => holds(part, read);
  switch (formula.is) {
    case 'constant':
      return formula.value;
    case 'present':
      return read(formula.path) !== undefined;
    case 'equals':
      return read(formula.path) === formula.value;
    case 'not':
      return !test(formula.of);
    case 'all':
      return formula.of.every(test);
    case 'any':
      return formula.of.some(test);
    case 'same':
      return test(formula.of[0]) === test(formula.of[1]);
    case 'at-most':
      return formula.of.filter(test).length <= formula.count;
  }
}
