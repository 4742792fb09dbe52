export interface Token {
  readonly text: string;
  /** The start of the token in the text, in UTF-16 code units. */
  readonly offset: number;
}

/**
 * Splits as Cedar does, not as JavaScript would: a carriage return also ends a comment, and a byte order mark is not white space. An
 * unterminated string takes the rest of the text, so that no text is searched twice.
 */
const TOKEN = /\/\/[^\r\n]*|[^\S\ufeff]+|"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|\w+|::|[=!<>]=|&&|\|\||[\s\S]/gu;
const SAYS_NOTHING = /^(?:\/\/|[^\S\ufeff])/;

/** The tokens of a policy text, without comments and white space. */
export function* tokenize(text: string): Generator<Token, void> {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (!SAYS_NOTHING.test(token)) yield { text: token, offset: index };
  }
}

export function isString({ text }: Token): boolean {
  return text.startsWith('"');
}
