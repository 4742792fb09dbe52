/** Parses the few Cedar forms that grants render to. It is not a Cedar parser: the caller renders the result again and compares. */

import { tokenize } from '../../../analysis/cedar/tokens.ts';

export interface Entity {
  readonly type: string;
  readonly id: string;
}

export type Expression =
  | { readonly type: 'or' | 'and'; readonly parts: readonly Expression[] }
  /** A parenthesized expression. */
  | { readonly type: 'group' | 'not'; readonly inner: Expression }
  | { readonly type: 'value'; readonly value: string | number | boolean }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'attribute'; readonly of: string; readonly name: string }
  | { readonly type: 'has'; readonly of: string; readonly name: string }
  | { readonly type: 'equals'; readonly left: Expression; readonly right: Expression }
  | { readonly type: 'like'; readonly left: Expression; readonly pattern: string }
  | { readonly type: 'contains'; readonly left: Expression; readonly value: string }
  | { readonly type: 'in'; readonly of: string; readonly entities: readonly Entity[]; readonly isList: boolean }
  | { readonly type: 'entity'; readonly entity: Entity };

export interface ReadPolicy {
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  readonly principal: Expression;
  readonly action: Expression;
  readonly resource: Expression;
  readonly condition: Expression | undefined;
}

class UnreadableConditionError extends Error {}

/** Maximum nesting of an expression. Grants nest callers only a few levels deep. */
const MAX_NESTING = 100;

/** The parts of a policy; undefined for a policy that no grant renders to. */
export function readPolicy(text: string): ReadPolicy | undefined {
  try {
    return new Reader(text).parsePolicy();
  } catch (error) {
    if (error instanceof UnreadableConditionError) return undefined;
    throw error;
  }
}

class Reader {
  readonly #tokens: readonly string[];
  #next = 0;

  #nesting = 0;

  constructor(text: string) {
    this.#tokens = [...tokenize(text)].map(token => token.text);
  }

  parsePolicy(): ReadPolicy {
    this.#expect('@', 'id', '(');
    const id = this.#parseString();
    this.#expect(')');
    const effect = this.#take();
    if (effect !== 'permit' && effect !== 'forbid') throw new UnreadableConditionError();
    this.#expect('(');
    const principal = this.#parseOr();
    this.#expect(',');
    const action = this.#parseOr();
    this.#expect(',');
    const resource = this.#parseOr();
    this.#expect(')');
    const condition = this.#accept('when') ? this.#parseBraced() : undefined;
    this.#expect(';');
    if (this.#next < this.#tokens.length) throw new UnreadableConditionError();
    return { id, effect, principal, action, resource, condition };
  }

  #parseBraced(): Expression {
    this.#expect('{');
    const condition = this.#parseOr();
    this.#expect('}');
    return condition;
  }

  #parseOr(): Expression {
    return this.#parseSeveral('or', '||', () => this.#parseSeveral('and', '&&', () => this.#test()));
  }

  #parseSeveral(type: 'or' | 'and', sign: string, part: () => Expression): Expression {
    const first = part();
    const parts = [first];
    while (this.#accept(sign)) parts.push(part());
    return parts.length === 1 ? first : { type, parts };
  }

  #test(): Expression {
    const left = this.#parseOperand();
    if (this.#accept('==')) return { type: 'equals', left, right: this.#parseOperand() };
    if (this.#accept('like')) return { type: 'like', left, pattern: this.#take() };
    if (left.type !== 'variable') return left;
    if (this.#accept('has')) return { type: 'has', of: left.name, name: this.#parseName() };
    if (this.#accept('in')) return { type: 'in', of: left.name, ...this.#parseEntities() };
    return left;
  }

  #parseOperand(): Expression {
    if (this.#accept('!')) return { type: 'not', inner: this.#parseDeeper(() => this.#parseOperand()) };
    if (this.#accept('(')) {
      const inner = this.#parseDeeper(() => this.#parseOr());
      this.#expect(')');
      return { type: 'group', inner };
    }
    const sign = this.#accept('-') ? -1 : 1;
    const token = this.#peek();
    if (token.startsWith('"')) return { type: 'value', value: this.#parseString() };
    if (/^\d+$/.test(token)) return { type: 'value', value: sign * Number(this.#take()) };
    if (token === 'true' || token === 'false') return { type: 'value', value: this.#take() === 'true' };
    if (this.#tokens[this.#next + 1] === '::') return { type: 'entity', entity: this.#parseEntity() };
    return this.#parseVariable();
  }

  #parseDeeper(read: () => Expression): Expression {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new UnreadableConditionError();
    const inner = read();
    this.#nesting -= 1;
    return inner;
  }

  #parseVariable(): Expression {
    const of = this.#parseWord();
    const isPlain = this.#accept('.');
    if (!isPlain && !this.#accept('[')) return { type: 'variable', name: of };
    const attribute: Expression = { type: 'attribute', of, name: this.#parseName() };
    if (!isPlain) this.#expect(']');
    if (!this.#accept('.')) return attribute;
    this.#expect('contains', '(');
    const value = this.#parseString();
    this.#expect(')');
    return { type: 'contains', left: attribute, value };
  }

  #parseEntities(): { readonly entities: readonly Entity[]; readonly isList: boolean } {
    if (!this.#accept('[')) return { entities: [this.#parseEntity()], isList: false };
    const entities = [this.#parseEntity()];
    while (this.#accept(',')) entities.push(this.#parseEntity());
    this.#expect(']');
    return { entities, isList: true };
  }

  #parseEntity(): Entity {
    const type = this.#parseWord();
    this.#expect('::');
    return { type, id: this.#parseString() };
  }

  #parseName(): string {
    return this.#peek().startsWith('"') ? this.#parseString() : this.#parseWord();
  }

  #parseString(): string {
    return unescapeLiteral(this.#take());
  }

  #parseWord(): string {
    const token = this.#take();
    if (!/^[A-Za-z_]\w*$/.test(token)) throw new UnreadableConditionError();
    return token;
  }

  #peek(): string {
    const token = this.#tokens[this.#next];
    if (token === undefined) throw new UnreadableConditionError();
    return token;
  }

  #take(): string {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }

  #accept(token: string): boolean {
    if (this.#tokens[this.#next] !== token) return false;
    this.#next += 1;
    return true;
  }

  #expect(...tokens: readonly string[]): void {
    for (const token of tokens) if (!this.#accept(token)) throw new UnreadableConditionError();
  }
}

/** The text of a literal; in a pattern, `\*` is a literal star. */
export function unescapeLiteral(literal: string): string {
  if (!/^".*"$/su.test(literal)) throw new UnreadableConditionError();
  return literal
    .slice(1, -1)
    .replace(/\\(?:u\{([0-9a-f]{1,6})\}|(.))/gsu, (_, code: string | undefined, sign: string) => {
      if (code === undefined) return sign;
      const point = Number.parseInt(code, 16);
      if (point > 0x10ffff) throw new UnreadableConditionError();
      return String.fromCodePoint(point);
    });
}
