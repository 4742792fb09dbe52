/** Splits the content of `{{ }}` into tokens. */
import { matchAt, matchClose } from './delimiter.ts';
import { quoteExcerpt, SyntaxProblem } from './syntax-error.ts';
import { classifyWord, type Token, type TokenKind } from './token.ts';

/** Letters and digits as Go defines them. */
const WORD = /[\p{L}\p{Nd}_]+/uy;
const SPACE = /[ \t\r\n]/;
const SPACES = /[ \t\r\n]+/y;
const STRING = /"(?:\\[^\n]|[^\\"\n])*"/y;
const RAW_STRING = /`[^`]*`/y;
const CHAR = /'(?:\\[^\n]|[^\\'\n])*'/y;
/** A number. The pattern also matches invalid numbers, so that an error quotes the whole number. */
const NUMBER =
  /[+-]?(?:0[xX][\da-fA-F_.]*(?:[pP][+-]?[\d_]*)?|[\d_.]+(?:[eE][+-]?[\d_]*)?)[\p{L}\p{Nd}_]*(?:[+-][\d_.]+(?:[eE][+-]?\d*)?i)?/uy;

/** All tokens up to the closing delimiter, exclusive. */
export function* tokenizeAction(text: string, open: number, start: number): Generator<Token> {
  let parentheses = 0;
  let position = start;
  for (;;) {
    if (matchClose(text, position) !== undefined) {
      if (parentheses === 0) return;
      throw new SyntaxProblem([open, position - open], 'a parenthesis is never closed', 'add the missing )');
    }
    if (position >= text.length) {
      throw new SyntaxProblem([open, text.length - open], 'this action is never closed', 'end it with }}');
    }
    const token = readToken(text, position);
    if (token.kind === '(') parentheses += 1;
    if (token.kind === ')') parentheses -= 1;
    if (parentheses < 0) throw new SyntaxProblem(token.at, 'a ) has no ( before it', 'remove it, or add the missing (');
    yield token;
    position += token.at[1];
  }
}

function readToken(text: string, position: number): Token {
  const first = text.charAt(position);
  if (SPACE.test(first)) return readSpace(text, position);
  if (first === '"') return readQuoted('string', STRING, text, position);
  if (first === '`') return readQuoted('raw-string', RAW_STRING, text, position);
  if (first === "'") return readQuoted('char', CHAR, text, position);
  if (first === '$') return readFieldOrVariable('variable', text, position);
  if (first === '.' && !/\d/.test(text.charAt(position + 1))) return readFieldOrVariable('field', text, position);
  if (/[.+\-\d]/.test(first)) return createToken('number', matchAt(NUMBER, text, position)?.[0] ?? first, position);
  if ('()|,='.includes(first)) return createToken(first as TokenKind, first, position);
  if (text.startsWith(':=', position)) return createToken(':=', ':=', position);
  const word = matchAt(WORD, text, position)?.[0];
  if (word !== undefined) return readWord(classifyWord(word), text, position, word);
  const character = String.fromCodePoint(text.codePointAt(position) ?? 0);
  if (/[!-~]/.test(character) && character !== ':') return createToken('other', character, position);
  throw new SyntaxProblem(
    [position, character.length],
    character === ':' ? 'a : is not followed by =' : 'this character has no meaning in an action',
    character === ':' ? 'declare a variable with :=' : 'remove it, or put it in quotes if it is text',
  );
}

/** Leaves the last space for a ` -}}` delimiter. */
function readSpace(text: string, position: number): Token {
  const spaces = matchAt(SPACES, text, position)?.[0] ?? ' ';
  const last = position + spaces.length - 1;
  const innerSpaces = spaces.length > 1 && matchClose(text, last) !== undefined ? spaces.slice(0, -1) : spaces;
  return createToken('space', innerSpaces, position);
}

function readQuoted(kind: TokenKind, pattern: RegExp, text: string, position: number): Token {
  const whole = matchAt(pattern, text, position)?.[0];
  if (whole !== undefined) return createToken(kind, whole, position);
  const quote = text.charAt(position);
  const lineEnd = text.indexOf('\n', position);
  const end = lineEnd === -1 || kind === 'raw-string' ? text.length : lineEnd;
  throw new SyntaxProblem(
    [position, end - position],
    `this ${quote} is never closed`,
    kind === 'raw-string' ? 'add the closing quote' : 'add the closing quote on the same line, or use `…`',
  );
}

function readFieldOrVariable(kind: 'field' | 'variable', text: string, position: number): Token {
  const word = matchAt(WORD, text, position + 1)?.[0] ?? '';
  const alone = kind === 'field' && word === '';
  return readWord(alone ? 'dot' : kind, text, position, text.charAt(position) + word);
}

/** A word must end visibly: `.a-b` is neither a subtraction nor a name. */
function readWord(kind: TokenKind, text: string, position: number, word: string): Token {
  const end = position + word.length;
  if (end >= text.length || /[ \t\r\n.,|:()]/.test(text.charAt(end)) || text.startsWith('}}', end)) {
    return createToken(kind, word, position);
  }
  const next = String.fromCodePoint(text.codePointAt(end) ?? 0);
  throw new SyntaxProblem(
    [end, next.length],
    `"${next}" cannot follow the name "${quoteExcerpt(word)}"`,
    kind === 'field'
      ? 'read such a key with index, as in (index . "my-key")'
      : 'put a space between them, or remove it',
  );
}

function createToken(kind: TokenKind, text: string, offset: number): Token {
  return { kind, text, at: [offset, text.length] };
}
