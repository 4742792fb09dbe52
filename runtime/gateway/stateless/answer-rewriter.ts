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
  private readonly _id: Uint8Array;
  private readonly _members: Uint8Array;
  /** Objects and arrays that are open. */
  private _depth = 0;
  private _isInString = false;
  private _isEscaped = false;
  /** At the top level: the next string is a key. */
  private _expectsKey = false;
  private _key = Buffer.alloc(LONGEST_KEY);
  private _keyLength = 0;
  /** The value of `id` is under way and left out. */
  private _isSkippingId = false;
  /** The next value is that of `result`. */
  private _isBeforeResult = false;
  /** `result` has been opened: whether a comma must follow our members is told by its next character. */
  private _owesComma = false;

  /**
   * @param id the id of the answer, as JSON text
   * @param members JSON text such as `"resultType":"complete"`, without a comma at either end; may be empty
   */
  constructor(id: string, members: string) {
    this._id = Buffer.from(id);
    this._members = Buffer.from(members);
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
      if (this._isInString) {
        at = this._string(chunk, at);
        continue;
      }
      if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) continue;
      if (this._owesComma) {
        this._owesComma = false;
        if (c !== CLOSE_BRACE) copyTo(at, COMMA_TEXT);
      }
      if (this._isSkippingId && this._depth === 1 && (c === COMMA || c === CLOSE_BRACE)) {
        this._isSkippingId = false;
        from = at; // The backend's own id stays out.
      }
      switch (c) {
        case QUOTE:
          this._isInString = true;
          this._keyLength = 0;
          if (this._expectsKey) this._note(c);
          break;
        case OPEN_BRACE:
        case OPEN_BRACKET:
          this._depth++;
          if (this._depth === 1) this._expectsKey = c === OPEN_BRACE;
          else if (this._isBeforeResult) {
            if (c === OPEN_BRACE && this._members.length > 0) {
              copyTo(at + 1, this._members);
              this._owesComma = true;
            }
          }
          this._isBeforeResult = false;
          break;
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          this._depth--;
          break;
        case COMMA:
          if (this._depth === 1) this._expectsKey = true;
          break;
        case COLON:
          if (this._depth === 1 && this._expectsKey) {
            this._expectsKey = false;
            if (this._keyIs(ID)) {
              copyTo(at + 1, this._id);
              this._isSkippingId = true;
            } else this._isBeforeResult = this._keyIs(RESULT);
          }
          break;
        default:
          this._isBeforeResult = false;
      }
    }
    if (!this._isSkippingId) copyTo(chunk.length, NOTHING);
    return out.length === 1 ? (out[0] as Uint8Array) : Buffer.concat(out);
  }

  /** Goes to the end of a string, or of the chunk; returns the position of the last character that was looked at. */
  private _string(chunk: Uint8Array, start: number): number {
    if (this._expectsKey && this._depth === 1) return this._keyString(chunk, start);
    const from = this._isEscaped ? start + 1 : start;
    const end = afterString(chunk, from);
    this._isInString = end === -1;
    this._isEscaped = end === -1 && isEscaped(chunk, from, chunk.length);
    return end === -1 ? chunk.length : end - 1;
  }

  private _keyString(chunk: Uint8Array, start: number): number {
    for (let at = start; at < chunk.length; at++) {
      const c = chunk[at] as number;
      this._note(c);
      if (this._isEscaped) this._isEscaped = false;
      else if (c === BACKSLASH) this._isEscaped = true;
      else if (c === QUOTE) {
        this._isInString = false;
        return at;
      }
    }
    return chunk.length;
  }

  private _note(c: number): void {
    if (this._keyLength < LONGEST_KEY) this._key[this._keyLength] = c;
    this._keyLength++;
  }

  private _keyIs(key: Buffer): boolean {
    return this._keyLength === key.length && this._key.compare(key, 0, key.length, 0, key.length) === 0;
  }
}

const COMMA_TEXT = Buffer.from(',');
