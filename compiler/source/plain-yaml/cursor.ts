import { MAX_DEPTH } from '../limits.ts';
import { LocationRecorder } from './location-recorder.ts';

/** Thrown to leave a text to the full reader; never propagates further. Created once, because creating the stack would be its main cost. */
export const OUTSIDE: Error = new Error('outside of the YAML that the plain reader is sure of');

/** Code units with a meaning in YAML. */
export const NEWLINE = 10;
export const SPACE = 32;
export const DOUBLE_QUOTE = 34;
export const HASH = 35;
export const SINGLE_QUOTE = 39;
export const COMMA = 44;
export const DASH = 45;
export const DOT = 46;
export const COLON = 58;
export const GREATER = 62;
export const OPEN_LIST = 91;
export const BACKSLASH = 92;
export const CLOSE_LIST = 93;
export const OPEN_MAPPING = 123;
export const BAR = 124;
export const CLOSE_MAPPING = 125;

/** The plain reader's position in a text. */
export class Cursor {
  readonly text: string;
  /** The next code unit to read. */
  at = 0;
  /** The column of the first content in the line at `at`, if known; -1 at the end of a document. */
  column = -1;
  /** The range of the last value. */
  start = 0;
  end = 0;
  /** The positions of all values. */
  readonly places = new LocationRecorder();
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The code unit at the cursor; `NaN` at the end. */
  get code(): number {
    return this.text.charCodeAt(this.at);
  }

  refuse(): never {
    throw OUTSIDE;
  }

  /** Enters a mapping or list. The depth limit is far below the full reader's, which reports the real limit. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH / 2) this.refuse();
  }

  leave(): void {
    this.#depth -= 1;
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.at) === SPACE) this.at += 1;
  }

  /** Whether only spaces and a comment are left on the line. Skips the spaces. */
  isAtLineEnd(): boolean {
    const before = this.at;
    this.skipSpaces();
    const { code } = this;
    if (code === NEWLINE || this.at >= this.text.length) return true;
    // White space must precede a comment; the full reader handles anything else directly behind a value.
    return code === HASH && this.at > before;
  }

  /** Skips the rest of the line, which must be blank, to the next content. */
  finishLine(): void {
    if (!this.isAtLineEnd()) this.refuse();
    this.skipToContent();
  }

  /** Moves to the first content after this line, past empty lines and comments. Sets `column`. */
  skipToContent(): void {
    this.skipLine();
    this.findContent();
  }

  /** Does the same as `skipToContent` from the start of a line, which may have content itself. */
  findContent(): void {
    const { text } = this;
    for (;;) {
      const lineStart = this.at;
      this.skipSpaces();
      const { code } = this;
      if (code !== NEWLINE && code !== HASH) {
        const isEnd = this.at >= text.length || (this.at === lineStart && this.#isMarker());
        this.column = isEnd ? -1 : this.at - lineStart;
        return;
      }
      this.skipLine();
    }
  }

  /** Whether `---` or `...` is at this line start. */
  #isMarker(): boolean {
    const { code } = this;
    if (code !== DASH && code !== DOT) return false;
    const { text, at } = this;
    return (text.startsWith('---', at) || text.startsWith('...', at)) && isBlank(text.charCodeAt(at + 3));
  }

  /** The offset of the line break or of the end of the text. */
  get lineEnd(): number {
    const next = this.text.indexOf('\n', this.at);
    return next === -1 ? this.text.length : next;
  }

  skipLine(): void {
    this.at = Math.min(this.lineEnd + 1, this.text.length);
  }
}

/** A space, a line break or the end of the text. */
export function isBlank(code: number): boolean {
  return code === SPACE || code === NEWLINE || Number.isNaN(code);
}

/** The start of a list item in block style. */
export function isDash(cursor: Cursor): boolean {
  return cursor.code === DASH && isBlank(cursor.text.charCodeAt(cursor.at + 1));
}
