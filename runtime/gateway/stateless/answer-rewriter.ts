/**
 * Makes the answer to one request the answer to another while it streams through: the id is replaced, and members are put
 * at the beginning of `result`. Nothing is parsed, and whatever else the answer holds passes as it came. Text that is not a
 * JSON-RPC answer comes out as unfit as it went in.
 */

import {
  afterString,
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isEscaped,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../backend/json-bytes.ts';

const ID = Buffer.from('"id"');
const RESULT = Buffer.from('"result"');

/** Keys that are longer are none of those looked for. */
const LONGEST_KEY = RESULT.length;

const NOTHING = new Uint8Array(0);

export class AnswerRewriter {
  readonly #id: Uint8Array;
  readonly #members: Uint8Array;
  /** Objects and arrays that are open. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** At the top level: the next string is a key. */
  #expectsKey = false;
  #key = Buffer.alloc(LONGEST_KEY);
  #keyLength = 0;
  /** The value of `id` is under way and left out. */
  #isSkippingId = false;
  /** The next value is that of `result`. */
  #isBeforeResult = false;
  /** `result` has been opened: whether a comma must follow our members is told by its next character. */
  #owesComma = false;

  /**
   * @param id the id of the answer, as JSON text
   * @param members JSON text such as `"resultType":"complete"`, without a comma at either end; may be empty
   */
  constructor(id: string, members: string) {
    this.#id = Buffer.from(id);
    this.#members = Buffer.from(members);
  }

  /** The next piece of the answer. Whole answers come out whole: one that is one chunk gives one chunk. */
  push(chunk: Uint8Array): Uint8Array {
    const out: Uint8Array[] = [];
    let from = 0;
    const copyTo = (end: number, insert: Uint8Array): void => {
      if (end > from) out.push(chunk.subarray(from, end));
      if (insert.length > 0) out.push(insert);
      from = end;
    };
    for (let at = 0; at < chunk.length; at++) {
      const c = chunk[at] as number;
      if (this.#isInString) {
        at = this.#string(chunk, at);
        continue;
      }
      if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) continue;
      if (this.#owesComma) {
        this.#owesComma = false;
        if (c !== CLOSE_BRACE) copyTo(at, COMMA_TEXT);
      }
      if (this.#isSkippingId && this.#depth === 1 && (c === COMMA || c === CLOSE_BRACE)) {
        this.#isSkippingId = false;
        from = at; // The backend's own id stays out.
      }
      switch (c) {
        case QUOTE:
          this.#isInString = true;
          this.#keyLength = 0;
          if (this.#expectsKey) this.#note(c);
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this.#depth++;
          if (this.#depth === 1) this.#expectsKey = c === OPEN_BRACE;
          else if (this.#isBeforeResult) {
            if (c === OPEN_BRACE && this.#members.length > 0) {
              copyTo(at + 1, this.#members);
              this.#owesComma = true;
            }
          }
          this.#isBeforeResult = false;
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this.#depth--;
          break;
        case COMMA:
          if (this.#depth === 1) this.#expectsKey = true;
          break;
        case COLON:
          if (this.#depth === 1 && this.#expectsKey) {
            this.#expectsKey = false;
            if (this.#keyIs(ID)) {
              copyTo(at + 1, this.#id);
              this.#isSkippingId = true;
            } else this.#isBeforeResult = this.#keyIs(RESULT);
          }
          break;
        default:
          this.#isBeforeResult = false;
      }
    }
    if (!this.#isSkippingId) copyTo(chunk.length, NOTHING);
    return out.length === 1 ? (out[0] as Uint8Array) : Buffer.concat(out);
  }

  /** Goes to the end of a string, or of the chunk; returns the position of the last character that was looked at. */
  #string(chunk: Uint8Array, start: number): number {
    if (this.#expectsKey && this.#depth === 1) return this.#keyString(chunk, start);
    const from = this.#isEscaped ? start + 1 : start;
    const end = afterString(chunk, from);
    this.#isInString = end === -1;
    this.#isEscaped = end === -1 && isEscaped(chunk, from, chunk.length);
    return end === -1 ? chunk.length : end - 1;
  }

  #keyString(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const c = chunk[at] as number;
      this.#note(c);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (c === BACKSLASH) this.#isEscaped = true;
      else if (c === QUOTE) {
        this.#isInString = false;
        return at;
      }
    }
    return chunk.length;
  }

  #note(c: number): void {
    if (this.#keyLength < LONGEST_KEY) this.#key[this.#keyLength] = c;
    this.#keyLength++;
  }

  #keyIs(key: Buffer): boolean {
    return this.#keyLength === key.length && this.#key.compare(key, 0, key.length, 0, key.length) === 0;
  }
}

const COMMA_TEXT = Buffer.from(',');
