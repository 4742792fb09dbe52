/**
 * Whether a JSON-RPC answer is about the request it came for, read from its top level. Clients match answers to requests by id
 * alone, so an answer with another one would be taken for that of another request, which another backend may be working on.
 * Parsers differ on a name that is there twice, so an answer with two ids is nobody's.
 */
import { idKey } from '../../mcp/envelope.ts';
import {
  afterString,
  BEFORE_FIRST_ID,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isEscaped,
  isTextAt,
  nextIdName,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.ts';

/** Of a name or an id no more is kept: what is longer is neither the name `id` nor an id of ours. */
const LONGEST_TOKEN = 4096;

const NAME_LENGTH = '"id"'.length;
const USUAL_NAME = BEFORE_FIRST_ID.length - NAME_LENGTH - 1;

/** How both letters of `id` begin when they are written with escapes: `\u0069`, `\u0064`. Backslashes are everywhere in JSON within JSON. */
const ESCAPED_LETTER = Buffer.from('u006');

/** Whether a whole answer has no id but `id` (JSON text), and that once. */
export function hasOnlyId(json: Buffer, id: string): boolean {
  return saysIdOnce(json, id) || new OwnId(id).push(json);
}

/** The usual case by native searches: nowhere in the answer is there a second `id`, however it be spelled. */
function saysIdOnce(json: Buffer, id: string): boolean {
  const name = isTextAt(json, 0, BEFORE_FIRST_ID) ? USUAL_NAME : nextIdName(json, 0);
  if (name === -1 || json.includes(ESCAPED_LETTER)) return false;
  if (nextIdName(json, name + NAME_LENGTH) !== -1) return false;
  const value = name + NAME_LENGTH + 1;
  const next = json[value + id.length];
  return json[value - 1] === COLON && (next === COMMA || next === CLOSE_BRACE) && isTextAt(json, value, id);
}

/** The same for an answer that comes in pieces. */
export class OwnId {
  private readonly _key: string;
  private _depth = 0;
  private _isInString = false;
  /** The next chunk begins with an escaped character. */
  private _isEscaped = false;
  /** What is being read on the top level: a member's name, or the value of `id`. */
  private _reading: 'name' | 'id' | undefined;
  /** What of that stood in earlier chunks. */
  private _earlier = '';
  private _hasId = false;

  /** @param id the request's id as JSON text */
  constructor(id: string) {
    this._key = idKey(id);
  }

  /** Reads the next chunk of the answer. False as soon as an id is not the request's, or there is a second one. */
  push(chunk: Buffer): boolean {
    let tokenStart = 0;
    let at = this._isInString ? this._afterString(chunk, this._isEscaped ? 1 : 0) : 0;
    while (at < chunk.length) {
      const c = chunk[at++];
      if (c === QUOTE) at = this._afterString(chunk, at);
      else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
        if (++this._depth === 1) {
          this._reading = 'name';
          tokenStart = at;
        }
      } else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
        if (this._depth-- === 1 && !this._isOwn(chunk, tokenStart, at - 1)) return false;
      } else if (this._depth === 1 && c === COLON) {
        this._reading = this._token(chunk, tokenStart, at - 1) === '"id"' ? 'id' : undefined;
        tokenStart = at;
      } else if (this._depth === 1 && c === COMMA) {
        if (!this._isOwn(chunk, tokenStart, at - 1)) return false;
        this._reading = 'name';
        tokenStart = at;
      }
    }
    if (this._reading !== undefined && this._earlier.length <= LONGEST_TOKEN) {
      this._earlier += chunk.toString('latin1', tokenStart, tokenStart + LONGEST_TOKEN);
    }
    return true;
  }

  /** The position after the string that `from` is in; the chunk's end when it goes on in the next one. */
  private _afterString(chunk: Buffer, from: number): number {
    const end = afterString(chunk, from);
    this._isInString = end === -1;
    this._isEscaped = this._isInString && isEscaped(chunk, from, chunk.length);
    return this._isInString ? chunk.length : end;
  }

  /** A member has ended: if it was an id, it must be the request's, and the first. */
  private _isOwn(chunk: Buffer, start: number, end: number): boolean {
    if (this._reading === 'id') {
      const isFirst = !this._hasId;
      this._hasId = true;
      return this._token(chunk, start, end) === this._key && isFirst;
    }
    this._earlier = '';
    return true;
  }

  /** The scalar that ends at `end`, as JSON text in one spelling; undefined when it is neither a name nor an id. */
  private _token(chunk: Buffer, start: number, end: number): string | undefined {
    const text = this._earlier + (this._reading === undefined ? '' : chunk.toString('latin1', start, end));
    this._earlier = '';
    if (text.length > LONGEST_TOKEN) return undefined;
    try {
      return idKey(Buffer.from(text, 'latin1').toString('utf8').trim());
    } catch {
      return undefined;
    }
  }
}
