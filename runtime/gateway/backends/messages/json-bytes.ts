/** The delimiters of JSON as bytes, and the search for the end of values. Only ASCII delimits, so this needs no UTF-8 decoding. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** The text before the id in most answers. */
export const BEFORE_FIRST_ID = '{"jsonrpc":"2.0","id":';

/** Most strings end within this many bytes; up to this length a loop is faster, and beyond it `indexOf`. */
const SHORT_STRING = 64;

/** The position after the closing quote of a string; `from` is the position after the opening quote. -1 when the string does not end. */
export function skipString(json: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const near = Math.min(at + SHORT_STRING, json.length);
    while (at < near) {
      const c = json[at];
      if (c === QUOTE) return at + 1;
      at += c === BACKSLASH ? 2 : 1;
    }
    const quote = json.indexOf(QUOTE, at);
    if (quote === -1) return -1;
    if (!isEscaped(json, at, quote)) return quote + 1;
    at = quote + 1;
  }
}

/** Whether the character at `at` is escaped, that is, follows an odd number of backslashes. `from` is never inside an escape. */
export function isEscaped(json: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && json[first - 1] === BACKSLASH) first--;
  return ((at - first) & 1) === 1;
}

/** Braces are brackets with one more bit, and no other delimiter has a code as high: one comparison classifies most characters. */
const BRACKET_BITS = 0xdf;

/** The position after an object or array; `from` is the position of its first character inside. -1 when it does not end. */
export function skipNested(json: Uint8Array, from: number): number {
  let depth = 1;
  let at = from;
  while (at < json.length) {
    const c = json[at++] as number;
    if (c === QUOTE) {
      at = skipString(json, at);
      if (at === -1) return -1;
    } else if (c >= OPEN_BRACKET) {
      const bracket = c & BRACKET_BITS;
      if (bracket === OPEN_BRACKET) depth++;
      else if (bracket === CLOSE_BRACKET && --depth === 0) return at;
    }
  }
  return -1;
}

/**
 * The position after the value that begins at `start`; -1 when it does not end. A number or literal ends at the first character that cannot
 * belong to it.
 */
export function skipValue(json: Uint8Array, start: number): number {
  const first = json[start];
  if (first === QUOTE) return skipString(json, start + 1);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(json, start + 1);
  for (let at = start; at < json.length; at++) {
    const c = json[at];
    if (c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET || isSpace(c)) return at;
  }
  return -1;
}

/** Whether an ASCII text is at `at`. For short texts this is faster than decoding the bytes to a string. */
export function isTextAt(json: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (json[at + i] !== text.charCodeAt(i)) return false;
  }
  return true;
}

/** The position of the next character that is not white space. */
export function skipSpace(json: Uint8Array, start: number): number {
  let at = start;
  while (isSpace(json[at])) at++;
  return at;
}

function isSpace(c: number | undefined): boolean {
  return c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09;
}
