import { quote } from '../text/describe.ts';
import { MAX_DEPTH, MAX_VALUES_PER_DOCUMENT } from './limits.ts';
import { findNumberProblem, findTextProblem } from './lossless.ts';
import { setOwnMember } from './own-member.ts';
import { type ReaderProblem, type Span, UnreadableError } from './problem.ts';

/** A value of a JSON text with its position. */
export type JsonNode = {
  readonly span: Span;
  readonly value: unknown;
  /** The members of an object: the first of each name. */
  readonly members?: ReadonlyMap<string, { readonly key: Span; readonly node: JsonNode }>;
  /** The items of an array. */
  readonly items?: readonly JsonNode[];
};

const WHITESPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const WORD = /[A-Za-z0-9_$+.-]+/y;
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
/** Matches a valid escape, or what makes a string invalid: a backslash that begins no valid escape, or a control character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these in strings
const ESCAPE_OR_BAD = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[\u0000-\u001f\\]/g;

/**
 * Parses one JSON value with positions, strictly by RFC 8259.
 * @see https://www.rfc-editor.org/rfc/rfc8259
 */
export class JsonParser {
  /** Duplicate keys. */
  readonly problems: ReaderProblem[] = [];
  /** Findings that only matter for documents of Lintel's kinds. */
  readonly caveats: ReaderProblem[] = [];
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The value of the whole text; `undefined` for white space only.
   *
   * @throws UnreadableError at the first syntax error, or when a limit is passed.
   */
  parse(): JsonNode | undefined {
    this.#match(WHITESPACE);
    if (this.#at === this.#text.length) return undefined;
    const node = this.#readValue(0);
    this.#match(WHITESPACE);
    if (this.#at < this.#text.length) this.#fail('unexpected text after the end of the document');
    return node;
  }

  #readValue(depth: number): JsonNode {
    this.#values += 1;
    if (this.#values > MAX_VALUES_PER_DOCUMENT)
      this.#fail(`the document has more than ${MAX_VALUES_PER_DOCUMENT} values`, 'LNT1017');
    const char = this.#text[this.#at];
    if (char === '"') return this.#readString();
    if (char !== '{' && char !== '[') return this.#readNumberOrLiteral();
    if (depth >= MAX_DEPTH) this.#fail(`values are nested more than ${MAX_DEPTH} levels deep`, 'LNT1017');
    return char === '{' ? this.#readObject(depth + 1) : this.#readArray(depth + 1);
  }

  #readObject(depth: number): JsonNode {
    const start = this.#at;
    const value: Record<string, unknown> = {};
    const members = new Map<string, { key: Span; node: JsonNode }>();
    this.#readElements('}', 'a key in double quotes', () => {
      if (this.#text[this.#at] !== '"') this.#fail('expected a key in double quotes');
      const { value: name, span: key } = this.#readString() as JsonNode & { value: string };
      this.#match(WHITESPACE);
      this.#expect(':', 'after a key');
      this.#match(WHITESPACE);
      this.#path.push(name);
      const first = members.get(name);
      if (first) this.#reportDuplicate(name, key, first.key);
      const node = this.#readValue(depth);
      this.#path.pop();
      setOwnMember(value, name, node.value);
      if (!first) members.set(name, { key, node });
    });
    return { span: { start, end: this.#at }, value, members };
  }

  #readArray(depth: number): JsonNode {
    const start = this.#at;
    const items: JsonNode[] = [];
    this.#readElements(']', 'a value', () => {
      this.#path.push(items.length);
      items.push(this.#readValue(depth));
      this.#path.pop();
    });
    return { span: { start, end: this.#at }, value: items.map(item => item.value), items };
  }

  /** The elements between brackets, separated by commas. */
  #readElements(close: string, element: string, read: () => void): void {
    this.#at += 1;
    this.#match(WHITESPACE);
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      read();
      this.#match(WHITESPACE);
      if (this.#text[this.#at] === close) break;
      this.#expect(',', `or ${JSON.stringify(close)}`);
      this.#match(WHITESPACE);
      if (this.#text[this.#at] === close) this.#fail(`expected ${element} after the comma`);
    }
    this.#at += 1;
  }

  #readString(): JsonNode {
    const start = this.#at;
    const end = this.#endOfString(start);
    this.#at = end;
    const raw = this.#text.slice(start, end);
    for (const { 0: found, index } of raw.matchAll(ESCAPE_OR_BAD)) {
      if (found.length > 1) continue;
      this.#at = start + index;
      this.#fail(found === '\\' ? 'a string holds an unknown escape' : 'a string holds a control character');
    }
    const value = JSON.parse(raw) as string;
    const problem = findTextProblem(value);
    if (problem) this.#reportCaveat(problem, { start, end });
    return { span: { start, end }, value };
  }

  /** The offset behind the closing quote: the first one with an even number of backslashes before it. */
  #endOfString(start: number): number {
    let quote = start;
    for (;;) {
      quote = this.#text.indexOf('"', quote + 1);
      if (quote === -1) this.#fail('a string has no closing quote');
      let backslashes = 0;
      while (this.#text[quote - 1 - backslashes] === '\\') backslashes += 1;
      if (backslashes % 2 === 0) return quote + 1;
    }
  }

  #readNumberOrLiteral(): JsonNode {
    const start = this.#at;
    const number = this.#match(NUMBER);
    if (number !== '') {
      const span = { start, end: this.#at };
      const value = Number(number);
      const problem = findNumberProblem(number, value);
      if (problem) this.#reportCaveat(problem, span);
      return { span, value };
    }
    const word = this.#match(WORD);
    const end = this.#at;
    if (LITERALS.has(word)) return { span: { start, end }, value: LITERALS.get(word) };
    this.#at = start;
    return this.#fail(start === this.#text.length ? 'the text ends where a value is expected' : 'expected a value');
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #expect(char: string, where: string): void {
    if (this.#text[this.#at] !== char) this.#fail(`expected ${JSON.stringify(char)} ${where}`);
    this.#at += 1;
  }

  #reportDuplicate(name: string, span: Span, first: Span): void {
    this.problems.push({
      code: 'LNT1002',
      message: `the key ${quote(name)} is in this object twice`,
      span,
      path: [...this.#path],
      related: { message: 'the key is here first', span: first },
    });
  }

  #reportCaveat(message: string, span: Span): void {
    this.caveats.push({ code: 'LNT1014', message, span, path: [...this.#path] });
  }

  #fail(problem: string, code: ReaderProblem['code'] = 'LNT1001'): never {
    const start = Math.min(this.#at, this.#text.length);
    const message = code === 'LNT1001' ? `this is no JSON: ${problem}` : problem;
    throw new UnreadableError({ code, message, span: { start, end: start + 1 }, path: [] });
  }
}
