import { MAX_TEMPLATE_DEPTH, type TemplateSpan } from '#schemas';
import { quoteExcerpt, SyntaxProblem } from './syntax-error.ts';
import type { Token } from './token.ts';

/** The tokens of a template in order, with the parser's state. */
export class TokenReader {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;
  /** The variables in scope, innermost last. */
  readonly variables: string[] = ['$'];
  /** The number of enclosing `range` actions. */
  ranges = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The next token, spaces included. */
  peek(): Token {
    return this.#tokens[this.#next] ?? END;
  }

  peekNonSpace(): Token {
    while (this.peek().kind === 'space') this.#next += 1;
    return this.peek();
  }

  /** The token after the next one and the spaces that follow it. */
  peekSecond(): Token {
    let index = this.#next + 1;
    while (this.#tokens[index]?.kind === 'space') index += 1;
    return this.#tokens[index] ?? END;
  }

  next(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  /** Consumes the end of an action. */
  expectClose(context: string): void {
    const token = this.peekNonSpace();
    if (token.kind !== 'close') throw createUnexpectedProblem(token, context);
    this.#next += 1;
  }

  /** The span from a position to the last consumed token, without trailing spaces. */
  spanFrom(offset: number): TemplateSpan {
    let index = this.#next - 1;
    while (this.#tokens[index]?.kind === 'space') index -= 1;
    const [last, length] = this.#tokens[index]?.at ?? [offset, 0];
    return [offset, Math.max(0, last + length - offset)];
  }

  /** Parses a construct that may contain others of its kind, and limits the nesting. */
  nested<T>(at: TemplateSpan, parse: () => T): T {
    if (this.#depth === MAX_TEMPLATE_DEPTH) {
      const levels = `actions and parentheses are nested more than ${MAX_TEMPLATE_DEPTH} levels deep`;
      throw new SyntaxProblem(at, levels, 'take them apart with variables');
    }
    this.#depth += 1;
    const result = parse();
    this.#depth -= 1;
    return result;
  }
}

const END: Token = { kind: 'end-of-text', text: '', at: [0, 0] };

export function createUnexpectedProblem({ kind, text, at }: Token, context: string): SyntaxProblem {
  if (kind === 'end-of-text') {
    return new SyntaxProblem(at, `the text ends within ${context}`, 'add the missing {{end}}');
  }
  const what =
    kind === 'close' ? '}}' : kind === 'text' || kind === 'space' ? `this ${kind}` : `"${quoteExcerpt(text)}"`;
  return new SyntaxProblem(
    at,
    `${what} cannot stand here, in ${context}`,
    'remove it, or write what is missing before it',
  );
}
