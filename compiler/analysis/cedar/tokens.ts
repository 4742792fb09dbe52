export interface Token {
  readonly text: string;
  /** In UTF-16 code units. */
  readonly offset: number;
}

/**
 * As Cedar splits a text, and not JavaScript: a carriage return ends a comment too, and a mark of byte order is no space. A
 * string without its end takes the rest, so that no text is searched twice.
 */
const TOKEN = /\/\/[^\r\n]*|[^\S\ufeff]+|"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|\w+|::|[=!<>]=|&&|\|\||[\s\S]/gu;
const SAYS_NOTHING = /^(?:\/\/|[^\S\ufeff])/;

/** What a text of policies is made of, without comments and space. */
export function* tokenize(text: string): Generator<Token, void> {
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (!SAYS_NOTHING.test(token)) yield { text: token, offset: index };
  }
}

export function isString({ text }: Token): boolean {
  return text.startsWith('"');
}
