/**
 * The scanner for answers of backends, which the gateway forwards unread: it finds where values end in the bytes of UTF-8 text, by quotes and
 * brackets alone. It does not validate the text, which may nest to any depth: clients read these answers. `scan-text.ts` is the scanner that
 * validates. `runtime/adr/0027-two-scanners-of-json.md` says why there are two.
 */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.ts';

/** Most strings end within this many bytes; up to this length a loop is faster, and beyond it `indexOf`. */
const SHORT_STRING = 64;

/** The position after the closing quote of a string; `from` is the position after the opening quote. -1 when the string does not end. */
export function findStringEnd(json: Uint8Array, from: number): number {
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
function isEscaped(json: Uint8Array, from: number, at: number): boolean {
  let first = at;
  while (first > from && json[first - 1] === BACKSLASH) first--;
  return ((at - first) & 1) === 1;
}

/** Braces are brackets with one more bit, and no other delimiter has a code as high: one comparison classifies most characters. */
const BRACKET_BITS = 0xdf;

/** A string, an object or an array whose text may arrive in chunks. */
export class OpenValue {
  /** The number of open objects and arrays. */
  private _depth = 0;
  private _isInString = false;
  /** Whether the next chunk begins with an escaped character. */
  private _isEscaped = false;

  /** Whether the end of the value has not been reached. */
  get isOpen(): boolean {
    return this._depth > 0 || this._isInString;
  }

  /** Begins a value by its first character. Returns false for a scalar that is not a string: it has no end of its own. */
  begin(first: number): boolean {
    this._isInString = first === QUOTE;
    this._isEscaped = false;
    this._depth = first === OPEN_BRACE || first === OPEN_BRACKET ? 1 : 0;
    return this.isOpen;
  }

  /** The position after the value, or the length of the chunk when the value does not end in it. `from` is the position of its next character. */
  skip(chunk: Uint8Array, from: number): number {
    let at = from;
    if (this._isInString) {
      const start = this._isEscaped ? from + 1 : from;
      at = findStringEnd(chunk, start);
      if (at === -1) return this._breakOff(chunk, start);
      this._isInString = false;
    }
    return this._depth === 0 ? at : this._skipNested(chunk, at);
  }

  private _skipNested(chunk: Uint8Array, from: number): number {
    let depth = this._depth;
    let at = from;
    while (at < chunk.length) {
      const c = chunk[at++] as number;
      if (c === QUOTE) {
        const start = at;
        at = findStringEnd(chunk, start);
        if (at === -1) {
          this._depth = depth;
          return this._breakOff(chunk, start);
        }
      } else if (c >= OPEN_BRACKET) {
        const bracket = c & BRACKET_BITS;
        if (bracket === OPEN_BRACKET) depth++;
        else if (bracket === CLOSE_BRACKET && --depth === 0) break;
      }
    }
    this._depth = depth;
    return at;
  }

  /** Called when the chunk ends in a string, of which it contains the characters from `start` on. */
  private _breakOff(chunk: Uint8Array, start: number): number {
    this._isInString = true;
    this._isEscaped = isEscaped(chunk, start, chunk.length);
    return chunk.length;
  }
}

/**
 * The position after the value that begins at `start`; -1 when it does not end. A number or literal ends at the first character that cannot
 * belong to it.
 */
export function findValueEnd(json: Uint8Array, start: number): number {
  const first = json[start];
  if (first === QUOTE) return findStringEnd(json, start + 1);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    const value = new OpenValue();
    value.begin(first);
    const end = value.skip(json, start + 1);
    return value.isOpen ? -1 : end;
  }
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
