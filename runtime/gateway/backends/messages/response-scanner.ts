/**
 * The members of a JSON-RPC message, and those of its `result`, as their text comes in pieces. Who checks an answer and who
 * changes it read by this one reader: what one of them takes for a name, the other does. Values are stepped over, not read.
 */
import { foldName } from '#schemas';
import {
  afterString,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isEscaped,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.ts';

/** What has been read. `ResponseScanner.at` is the position behind it. */
export const READ = {
  /** All of the chunk. */
  chunk: 0,
  /** The quote that opens a name. */
  nameStart: 1,
  /** A name and its colon. */
  name: 2,
  /** The brace that opens `result`. */
  result: 3,
  /** A member, up to the comma or brace that follows. */
  member: 4,
  /** The comma between two members. */
  comma: 5,
  /** The brace that closes `result`. */
  resultEnd: 6,
  /** The brace that closes the message. */
  message: 7,
  /** What is no JSON object, or has a name at its top that only a parser without regard to case would take for one of ours. */
  violation: 8,
} as const;

export type Read = (typeof READ)[keyof typeof READ];

/** What is next, outside of the values that are stepped over. */
const AWAITS = {
  message: 0,
  nameOrEnd: 1,
  name: 2,
  colon: 3,
  value: 4,
  scalarEnd: 5,
  memberEnd: 6,
  commaOrEnd: 7,
  nothing: 8,
} as const;

/** Longer names and ids are never used, and not kept. Bytes. */
const LONGEST_TOKEN = 4096;

/** The names at the top that mean something. */
const NAMES: ReadonlySet<string> = new Set(['id', 'method', 'result', 'error']);
const LONGEST_NAME = 'method'.length;

const NOTHING = Buffer.alloc(0);

export class ResponseScanner {
  at = 0;
  /** The name of the member at hand, decoded; undefined when it is too long to be of interest. */
  name: string | undefined;
  /** The member at hand is one of `result`. */
  isInResult = false;
  private _chunk: Buffer = NOTHING;
  private _awaits: number = AWAITS.message;
  /** Objects and arrays that are open within the value at hand. */
  private _depth = 0;
  private _isInString = false;
  /** The next chunk begins with an escaped character. */
  private _isEscaped = false;
  /** The name or id at hand is wanted: where it begins, and what of it stood in earlier chunks. */
  private _isKept = false;
  private _keptFrom = 0;
  private _kept = '';

  /** Takes the next chunk, of which `next` tells. */
  push(chunk: Uint8Array): void {
    this._chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.at = 0;
    this._keptFrom = 0;
  }

  /** The value of `id` as JSON text, once that member has been read; undefined for what is no scalar, or too long. */
  get id(): string | undefined {
    return this._kept === '' || this._kept.length > LONGEST_TOKEN ? undefined : utf8(this._kept);
  }

  /** A name is being read that is too long to be of interest. */
  get isLongName(): boolean {
    return this._awaits === AWAITS.colon && this._kept.length > LONGEST_TOKEN;
  }

  /** Goes on to the next event. */
  next(): Read {
    const chunk = this._chunk;
    while (this.at < chunk.length) {
      if (this._isInString) this._string(chunk);
      else if (this._depth > 0) this._nested(chunk);
      else {
        const read = this._sign(chunk[this.at++] as number);
        if (read !== READ.chunk) return read;
      }
    }
    if (this._isKept) this._keep(chunk.length);
    this._keptFrom = chunk.length;
    return READ.chunk;
  }

  private _sign(c: number): Read {
    const awaits = this._awaits;
    if (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) {
      if (awaits === AWAITS.scalarEnd) this._endScalar();
      return READ.chunk;
    }
    switch (awaits) {
      case AWAITS.message:
        this._awaits = AWAITS.nameOrEnd;
        return c === OPEN_BRACE ? READ.chunk : this._flaw();
      case AWAITS.nameOrEnd:
        return c === CLOSE_BRACE ? this._close() : this._openName(c);
      case AWAITS.name:
        return this._openName(c);
      case AWAITS.colon:
        return c === COLON ? this._afterName() : this._flaw();
      case AWAITS.value:
        return this._openValue(c);
      case AWAITS.scalarEnd:
        if (c !== COMMA && c !== CLOSE_BRACE) return isSign(c) ? this._flaw() : READ.chunk;
        this._endScalar();
        return this._endMember(c);
      case AWAITS.memberEnd:
        return this._endMember(c);
      case AWAITS.commaOrEnd:
        if (c === CLOSE_BRACE) return this._close();
        this._awaits = AWAITS.name;
        return READ.comma;
      default:
        return this._flaw();
    }
  }

  private _openName(c: number): Read {
    if (c !== QUOTE) return this._flaw();
    this._awaits = AWAITS.colon;
    this._openString();
    this._beginKept();
    return READ.nameStart;
  }

  private _afterName(): Read {
    const isLong = this._kept.length > LONGEST_TOKEN;
    this.name = isLong ? undefined : decoded(this._kept);
    this._kept = '';
    this._awaits = AWAITS.value;
    if (this.name === undefined) return isLong ? READ.name : this._flaw();
    return this.isInResult || !isDisguised(this.name) ? READ.name : this._flaw();
  }

  private _openValue(c: number): Read {
    const isOnTop = !this.isInResult;
    if (c === OPEN_BRACE && isOnTop && this.name === 'result') {
      this._awaits = AWAITS.nameOrEnd;
      this.isInResult = true;
      return READ.result;
    }
    this._awaits = AWAITS.memberEnd;
    if (c === OPEN_BRACE || c === OPEN_BRACKET) this._depth = 1;
    else {
      if (c === QUOTE) this._openString();
      else if (isSign(c)) return this._flaw();
      else this._awaits = AWAITS.scalarEnd;
      if (isOnTop && this.name === 'id') this._beginKept();
    }
    return READ.chunk;
  }

  private _openString(): void {
    this._isInString = true;
    this._isEscaped = false;
  }

  private _beginKept(): void {
    this._isKept = true;
    this._keptFrom = this.at - 1;
    this._kept = '';
  }

  /** The sign at hand is not part of the scalar. */
  private _endScalar(): void {
    this._awaits = AWAITS.memberEnd;
    if (this._isKept) this._keep(this.at - 1);
    this._isKept = false;
  }

  private _endMember(c: number): Read {
    if (c !== COMMA && c !== CLOSE_BRACE) return this._flaw();
    this.at--;
    this._awaits = AWAITS.commaOrEnd;
    return READ.member;
  }

  private _close(): Read {
    if (!this.isInResult) {
      this._awaits = AWAITS.nothing;
      return READ.message;
    }
    this.isInResult = false;
    this.name = 'result';
    this._awaits = AWAITS.memberEnd;
    return READ.resultEnd;
  }

  private _flaw(): Read {
    this._awaits = AWAITS.nothing;
    return READ.violation;
  }

  /** Goes on behind the string, or to the end of the chunk. */
  private _string(chunk: Buffer): void {
    const from = this._isEscaped ? this.at + 1 : this.at;
    const end = afterString(chunk, from);
    if (end === -1) {
      this._isEscaped = isEscaped(chunk, from, chunk.length);
      this.at = chunk.length;
      return;
    }
    this._isInString = false;
    this.at = end;
    if (this._isKept) this._keep(end);
    this._isKept = false;
  }

  /** Goes on behind the object or array, or to the end of the chunk. */
  private _nested(chunk: Buffer): void {
    let { at } = this;
    let depth = this._depth;
    while (at < chunk.length && depth > 0) {
      const c = chunk[at++];
      if (c === QUOTE) {
        const end = afterString(chunk, at);
        if (end === -1) {
          this._isInString = true;
          this._isEscaped = isEscaped(chunk, at, chunk.length);
          at = chunk.length;
        } else at = end;
      } else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++;
      else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) depth--;
    }
    this.at = at;
    this._depth = depth;
  }

  private _keep(end: number): void {
    const from = this._keptFrom;
    // A sign more than the longest tells that it is longer.
    if (this._kept.length > LONGEST_TOKEN) return;
    this._kept += this._chunk.toString('latin1', from, Math.min(end, from + LONGEST_TOKEN + 1));
  }
}

/** What neither is a scalar nor stands in one. */
function isSign(c: number): boolean {
  return (
    c === QUOTE ||
    c === COMMA ||
    c === COLON ||
    c === OPEN_BRACE ||
    c === CLOSE_BRACE ||
    c === OPEN_BRACKET ||
    c === CLOSE_BRACKET
  );
}

/** Some parsers match names without regard to case. Folding leaves the length as it is. */
function isDisguised(name: string): boolean {
  return name.length <= LONGEST_NAME && !NAMES.has(name) && NAMES.has(foldName(name));
}

/** A name without its quotes and escapes; undefined when it is not JSON. */
function decoded(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return utf8(quoted.slice(1, -1));
  try {
    return JSON.parse(utf8(quoted)) as string;
  } catch {
    return undefined;
  }
}

/** A text of which each character is a byte, decoded. */
function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
