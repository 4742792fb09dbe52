/**
 * Scans the members of a JSON-RPC message and of its `result` while the text arrives in chunks. The validator and the rewriter of answers both
 * use this scanner, so that they agree about names. It skips values without reading them.
 */
import { foldName } from '#shared/plan';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '../../../mcp/json/characters.ts';
import { OpenValue } from '../../../mcp/json/scan-bytes.ts';

/** The kinds of scanned tokens. `ResponseScanner.at` is the position after the token. */
export const READ = {
  /** The complete chunk. */
  chunk: 0,
  /** The opening quote of a name. */
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
  /**
   * A violation: the text is no JSON object, or has a top-level name that only a case-insensitive parser would treat as one of the known names.
   */
  violation: 8,
} as const;

export type Read = (typeof READ)[keyof typeof READ];

/** The scanner's next expected token, outside of skipped values. */
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

/** Maximum length of a name or id that the scanner stores, in bytes: longer ones never occur. */
const LONGEST_TOKEN = 4096;

/** The known top-level names. */
const NAMES: ReadonlySet<string> = new Set(['id', 'method', 'result', 'error']);
const LONGEST_NAME = 'method'.length;

const NOTHING = Buffer.alloc(0);

export class ResponseScanner {
  at = 0;
  /** The decoded name of the current member; undefined when it is longer than any known name. */
  name: string | undefined;
  /** Whether the current member is one of `result`. */
  isInResult = false;
  private _chunk: Buffer = NOTHING;
  private _awaits: number = AWAITS.message;
  /** The current name or value, while it is open. */
  private readonly _open: OpenValue = new OpenValue();
  /** Whether the text of the current name or id is stored. The next fields are its start, and its text in earlier chunks. */
  private _isKept = false;
  private _keptFrom = 0;
  private _token = '';

  /** Sets the next chunk, whose tokens `next` returns. */
  push(chunk: Uint8Array): void {
    this._chunk = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    this.at = 0;
    this._keptFrom = 0;
  }

  /** The value of `id` as JSON text, after that member; undefined for a value that is not a scalar, or too long. */
  get id(): string | undefined {
    return this._token === '' || this._token.length > LONGEST_TOKEN ? undefined : decodeUtf8(this._token);
  }

  /** Whether the scanner is in a name that is longer than any known name. */
  get isLongName(): boolean {
    return this._awaits === AWAITS.colon && this._token.length > LONGEST_TOKEN;
  }

  /** Advances to the next token. */
  next(): Read {
    const chunk = this._chunk;
    while (this.at < chunk.length) {
      if (this._open.isOpen) this._skip(chunk);
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
    if (isSpace(c)) {
      if (awaits === AWAITS.scalarEnd) this._endScalar();
      return READ.chunk;
    }
    switch (awaits) {
      case AWAITS.message:
        this._awaits = AWAITS.nameOrEnd;
        return c === OPEN_BRACE ? READ.chunk : this._fail();
      case AWAITS.nameOrEnd:
        return c === CLOSE_BRACE ? this._close() : this._openName(c);
      case AWAITS.name:
        return this._openName(c);
      case AWAITS.colon:
        return c === COLON ? this._afterName() : this._fail();
      case AWAITS.value:
        return this._openValue(c);
      case AWAITS.scalarEnd:
        if (c !== COMMA && c !== CLOSE_BRACE) return isSign(c) ? this._fail() : READ.chunk;
        this._endScalar();
        return this._endMember(c);
      case AWAITS.memberEnd:
        return this._endMember(c);
      case AWAITS.commaOrEnd:
        if (c === CLOSE_BRACE) return this._close();
        this._awaits = AWAITS.name;
        return READ.comma;
      default:
        return this._fail();
    }
  }

  private _openName(c: number): Read {
    if (c !== QUOTE) return this._fail();
    this._awaits = AWAITS.colon;
    this._open.begin(c);
    this._beginKept();
    return READ.nameStart;
  }

  private _afterName(): Read {
    const isLong = this._token.length > LONGEST_TOKEN;
    this.name = isLong ? undefined : decodeString(this._token);
    this._token = '';
    this._awaits = AWAITS.value;
    if (this.name === undefined) return isLong ? READ.name : this._fail();
    return this.isInResult || !isDisguised(this.name) ? READ.name : this._fail();
  }

  private _openValue(c: number): Read {
    const isOnTop = !this.isInResult;
    if (c === OPEN_BRACE && isOnTop && this.name === 'result') {
      this._awaits = AWAITS.nameOrEnd;
      this.isInResult = true;
      return READ.result;
    }
    this._awaits = AWAITS.memberEnd;
    if (!this._open.begin(c)) {
      if (isSign(c)) return this._fail();
      this._awaits = AWAITS.scalarEnd;
    }
    if (isOnTop && this.name === 'id' && c !== OPEN_BRACE && c !== OPEN_BRACKET) this._beginKept();
    return READ.chunk;
  }

  private _beginKept(): void {
    this._isKept = true;
    this._keptFrom = this.at - 1;
    this._token = '';
  }

  /** Called at the first character that is not part of the current scalar. */
  private _endScalar(): void {
    this._awaits = AWAITS.memberEnd;
    if (this._isKept) this._keep(this.at - 1);
    this._isKept = false;
  }

  private _endMember(c: number): Read {
    if (c !== COMMA && c !== CLOSE_BRACE) return this._fail();
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

  private _fail(): Read {
    this._awaits = AWAITS.nothing;
    return READ.violation;
  }

  /** Skips to the end of the name or value, or of the chunk. */
  private _skip(chunk: Buffer): void {
    this.at = this._open.skip(chunk, this.at);
    if (!this._isKept || this._open.isOpen) return;
    this._keep(this.at);
    this._isKept = false;
  }

  private _keep(end: number): void {
    const from = this._keptFrom;
    // A token that is one character longer than the limit shows that it is too long; the rest is not needed.
    if (this._token.length > LONGEST_TOKEN) return;
    this._token += this._chunk.toString('latin1', from, Math.min(end, from + LONGEST_TOKEN + 1));
  }
}

/** Whether a character neither begins nor continues a scalar. */
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

/** Whether a name is one of the known names only for parsers that match names case-insensitively. Case folding does not change the length. */
function isDisguised(name: string): boolean {
  return name.length <= LONGEST_NAME && !NAMES.has(name) && NAMES.has(foldName(name));
}

/** A name without its quotes and escapes; undefined when it is not JSON. */
function decodeString(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return decodeUtf8(quoted.slice(1, -1));
  try {
    return JSON.parse(decodeUtf8(quoted)) as string;
  } catch {
    return undefined;
  }
}

/** Decodes a text in which each character is a byte. */
function decodeUtf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
