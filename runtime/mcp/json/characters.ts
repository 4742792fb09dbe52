/**
 * The characters that have a meaning in JSON, and white space. All are ASCII, so their codes are the same in a string and in the bytes of its
 * UTF-8, where no other character contains these bytes.
 */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const DOT = 0x2e;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Whether a character is one of the four that JSON allows between tokens: space, line feed, carriage return, tab. */
export function isSpace(c: number | undefined): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}

/** The position of the next character that is not white space. */
export function skipSpace(json: string | Uint8Array, start: number): number {
  let at = start;
  if (typeof json === 'string') while (isSpace(json.charCodeAt(at))) at++;
  else while (isSpace(json[at])) at++;
  return at;
}
