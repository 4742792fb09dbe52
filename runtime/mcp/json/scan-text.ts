/**
 * The scanner for text that the gateway reads: it validates the whole grammar of RFC 8259, and works with positions instead of values. Each
 * function takes the position of the first character of what it skips, and returns the position after the last character. `scan-bytes.ts` is
 * the scanner for answers that the gateway forwards unread.
 */
import { WIRE_CODE, WireError } from '../wire-error.ts';
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  ZERO,
} from './characters.ts';

/** Limit on nested arrays and objects; the outermost counts as one. */
export const MAX_DEPTH = 128;

/** The open brackets in the current call of `skipValue`. All calls share the array, because scanning is synchronous and the depth is limited. */
const open = new Uint8Array(MAX_DEPTH + 1);

/** The error for text that is not JSON. The text itself is not repeated, because it may contain anything. */
export function createSyntaxError(at: number): WireError {
  return new WireError(WIRE_CODE.parseError, `invalid JSON at character ${at}`);
}

/** Refuses a container with `depth` open containers around it. */
export function checkDepth(depth: number): void {
  if (depth >= MAX_DEPTH) {
    throw new WireError(WIRE_CODE.invalidRequest, `JSON is nested more than ${MAX_DEPTH} levels deep`);
  }
}

/** Characters that stand for themselves inside of a string: from the space on, without `"` and `\`. */
const PLAIN = /[ !#-[\]-\uffff]*/y;

/** From this many plain characters on, a regular expression is faster than a loop over characters. */
const LONG_RUN = 64;

/** Skips a string, quotes included. */
function skipString(text: string, start: number): number {
  if (text.charCodeAt(start) !== QUOTE) throw createSyntaxError(start);
  const { length } = text;
  let at = start + 1;
  let runEnd = at + LONG_RUN;
  while (at < length) {
    const c = text.charCodeAt(at);
    if (c === QUOTE) return at + 1;
    if (c === BACKSLASH) {
      at = SHORT_ESCAPES[text.charCodeAt(at + 1)] === 1 ? at + 2 : skipUnicodeEscape(text, at);
      runEnd = at + LONG_RUN;
      continue;
    }
    if (c < 0x20) throw createSyntaxError(at);
    at++;
    if (at === runEnd) {
      PLAIN.lastIndex = at;
      PLAIN.test(text);
      at = PLAIN.lastIndex;
    }
  }
  throw createSyntaxError(length);
}

/** Skips a member's name, the colon and the space around it. */
export function skipName(text: string, start: number): number {
  const at = skipSpace(text, skipString(text, start));
  if (text.charCodeAt(at) !== COLON) throw createSyntaxError(at);
  return skipSpace(text, at + 1);
}

/** Skips any value. `depth` is the number of containers that are open around it. */
export function skipValue(text: string, start: number, depth: number): number {
  let at = start;
  let level = 0;
  for (;;) {
    const c = text.charCodeAt(at);
    if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      checkDepth(depth + level);
      const close = c + 2; // `]` and `}` have the code of their opening bracket plus two.
      at = skipSpace(text, at + 1);
      if (text.charCodeAt(at) !== close) {
        open[level++] = close;
        if (c === OPEN_BRACE) at = skipName(text, at);
        continue;
      }
      at++;
    } else {
      at = c === QUOTE ? skipString(text, at) : skipScalar(text, at, c);
    }
    // A value has ended: close the containers that end with it, or continue with the next value.
    for (;;) {
      if (level === 0) return at;
      at = skipSpace(text, at);
      const next = text.charCodeAt(at);
      const close = open[level - 1];
      if (next === COMMA) {
        at = skipSpace(text, at + 1);
        if (close === CLOSE_BRACE) at = skipName(text, at);
        break;
      }
      if (next !== close) throw createSyntaxError(at);
      level--;
      at++;
    }
  }
}

function skipScalar(text: string, at: number, first: number): number {
  if (first === MINUS || (first >= 0x30 && first <= 0x39)) return skipNumber(text, at);
  if (text.startsWith('true', at) || text.startsWith('null', at)) return at + 4;
  if (text.startsWith('false', at)) return at + 5;
  throw createSyntaxError(at);
}

function skipNumber(text: string, start: number): number {
  let at = text.charCodeAt(start) === MINUS ? start + 1 : start;
  at = text.charCodeAt(at) === ZERO ? at + 1 : skipDigits(text, at);
  if (text.charCodeAt(at) === DOT) at = skipDigits(text, at + 1);
  if ((text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    at = skipDigits(text, sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

function skipDigits(text: string, start: number): number {
  let at = start;
  for (;;) {
    const c = text.charCodeAt(at);
    if (!(c >= 0x30 && c <= 0x39)) break;
    at++;
  }
  if (at === start) throw createSyntaxError(at);
  return at;
}

const HEX4 = /[0-9a-fA-F]{4}/y;

/** 1 for each character that can follow the backslash in an escape of two characters, such as `n`. */
const SHORT_ESCAPES: Uint8Array = new Uint8Array(128);
for (const c of '"\\/bfnrt') SHORT_ESCAPES[c.charCodeAt(0)] = 1;

function skipUnicodeEscape(text: string, at: number): number {
  HEX4.lastIndex = at + 2;
  if (text.charCodeAt(at + 1) !== 0x75 || !HEX4.test(text)) throw createSyntaxError(at);
  return at + 6;
}
