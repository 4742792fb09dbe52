/** The signs of JSON as bytes, and where its values end. Only ASCII delimits, so UTF-8 need not be decoded for that. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** What stands before the id in most answers. */
export const BEFORE_FIRST_ID = '{"jsonrpc":"2.0","id":';

/** Within this many bytes most strings have ended; a loop is faster there and a native search beyond. */
const SHORT_STRING = 64;

/** The position after the quote that closes a string, of which `from` is the next character; -1 when it does not end. */
export function afterString(json: Uint8Array, from: number): number {
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

/** Whether the character at `at` is escaped: an odd number of backslashes before it. `from` is never inside an escape. */
export function isEscaped(json: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && json[first - 1] === BACKSLASH) first--;
  return ((at - first) & 1) === 1;
}

/** Braces are brackets with one more bit, and no other sign comes as late in ASCII: one comparison decides about most characters. */
const BRACKET_BITS = 0xdf;

/** The position after the object or array of which `from` is the first character inside; -1 when it does not end. */
export function afterNested(json: Uint8Array, from: number): number {
  let depth = 1;
  let at = from;
  while (at < json.length) {
    const c = json[at++] as number;
    if (c === QUOTE) {
      at = afterString(json, at);
      if (at === -1) return -1;
    } else if (c >= OPEN_BRACKET) {
      const bracket = c & BRACKET_BITS;
      if (bracket === OPEN_BRACKET) depth++;
      else if (bracket === CLOSE_BRACKET && --depth === 0) return at;
    }
  }
  return -1;
}

/** The position after the value that begins at `start`; -1 when it does not end. A number or literal ends before what cannot be part of it. */
export function afterValue(json: Uint8Array, start: number): number {
  const first = json[start];
  if (first === QUOTE) return afterString(json, start + 1);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return afterNested(json, start + 1);
  for (let at = start; at < json.length; at++) {
    const c = json[at];
    if (c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET || isSpace(c)) return at;
  }
  return -1;
}

/** Whether an ASCII text stands at `at`. For short ones: it is faster than to make a string of the bytes. */
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
