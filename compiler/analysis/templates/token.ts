import type { TemplateSpan } from '#schemas';

/** Reserved words of Go's templates. */
const KEYWORDS = ['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'nil', 'range', 'template', 'with'];

export type TokenKind =
  | 'text'
  | 'open'
  | 'close'
  | 'space'
  | 'keyword'
  | 'name'
  | 'bool'
  | 'field'
  | 'variable'
  | 'dot'
  | 'number'
  | 'char'
  | 'string'
  | 'raw-string'
  | '('
  | ')'
  | '|'
  | ','
  | '='
  | ':='
  | 'other'
  | 'end-of-text';

/** A piece of the template. */
export interface Token {
  readonly kind: TokenKind;
  /** The token as written, including quotes and sigils; text tokens after trimming. */
  readonly text: string;
  readonly at: TemplateSpan;
}

export function classifyWord(word: string): TokenKind {
  if (KEYWORDS.includes(word)) return 'keyword';
  return word === 'true' || word === 'false' ? 'bool' : 'name';
}
