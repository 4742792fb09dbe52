/**
 * Finds out from the bytes of an answer whether it is an error: backends' answers are forwarded unchanged, and no other code reads them.
 * For a complete answer in one chunk, a search for the names of error members usually decides.
 */
import { READ, ResponseScanner } from '../../gateway/backends/messages/response-scanner.ts';

/** The error type of a tool that failed and reports this in its result. */
export const TOOL_ERROR = 'tool_error';

/**
 * The common end of `"error"` and `"isError"`, which rarely occurs elsewhere. One search for it takes a quarter of the time of two searches for the
 * whole names, because they begin with a quote, which is frequent in JSON.
 */
const END_OF_ERROR_NAMES = Buffer.from('rror"');

/** Most servers write this member into each result. Reading the whole answer because of it would take 2 µs of a call. */
const NO_ERROR = Buffer.from('"isError":false');
const END_IN_NO_ERROR = NO_ERROR.indexOf(END_OF_ERROR_NAMES);

/** How much of an error's value is kept, in bytes: all known servers write the code at its beginning. */
const MAX_KEPT = 1024;

export class ResponseError {
  private _reader: ResponseScanner | undefined;
  /** The beginning of a value that continues in the next chunk. */
  private _token: string | undefined;
  private _type = '';
  private _value: string | undefined;

  /** `tool_error`, the code of a JSON-RPC error, or empty without an error. */
  get type(): string {
    return this._type;
  }

  /** The beginning of the JSON-RPC error, as JSON text: at most 1 KiB, cut at any position. Undefined without an error. */
  get value(): string | undefined {
    return this._value === undefined ? undefined : Buffer.from(this._value, 'latin1').toString('utf8');
  }

  /** Reads the next chunk. `isWhole`: the chunk is the whole answer. */
  read(chunk: Uint8Array, isWhole: boolean): void {
    if (isWhole && !mayBeError(chunk)) return;
    this._reader ??= new ResponseScanner();
    this._scan(this._reader, chunk);
  }

  private _scan(reader: ResponseScanner, chunk: Uint8Array): void {
    reader.push(chunk);
    let from = 0;
    for (;;) {
      const read = reader.next();
      if (read === READ.name && isErrorName(reader)) {
        this._token = '';
        from = reader.at;
      } else if (read === READ.member && this._token !== undefined) {
        this._keep(chunk, from, reader.at);
        this._readMember(this._token, reader.name);
        this._token = undefined;
      } else if (read === READ.chunk || read === READ.message || read === READ.violation) {
        if (this._token !== undefined) this._keep(chunk, from, chunk.length);
        return;
      }
    }
  }

  private _keep(chunk: Uint8Array, from: number, to: number): void {
    const { length = 0 } = this._token ?? '';
    const end = Math.min(to, from + MAX_KEPT - length);
    if (end > from) this._token += Buffer.from(chunk.buffer, chunk.byteOffset + from, end - from).toString('latin1');
  }

  private _readMember(value: string, name: string | undefined): void {
    const text = value.trim();
    if (name === 'isError') {
      if (text === 'true') this._type = TOOL_ERROR;
    } else if (text !== 'null') {
      this._value = text;
      this._type = /"code"\s*:\s*(-?\d{1,9})(?!\d)/.exec(text)?.[1] ?? 'unknown';
    }
  }
}

function mayBeError(chunk: Uint8Array): boolean {
  const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
  let at = bytes.indexOf(END_OF_ERROR_NAMES);
  while (at !== -1 && isInNoError(bytes, at)) at = bytes.indexOf(END_OF_ERROR_NAMES, at + 1);
  return at !== -1;
}

function isInNoError(bytes: Buffer, at: number): boolean {
  const start = at - END_IN_NO_ERROR;
  return start >= 0 && bytes.subarray(start, start + NO_ERROR.length).equals(NO_ERROR);
}

function isErrorName({ isInResult, name }: ResponseScanner): boolean {
  return isInResult ? name === 'isError' : name === 'error';
}
