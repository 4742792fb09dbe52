/**
 * Rewrites the response to one request as the response to another while it streams: it replaces the id, and inserts members at the beginning of
 * `result` in place of members with the same names. It parses nothing, and forwards everything else unchanged. Use it only for responses that
 * `ResponseValidator` accepts: an invalid response stays invalid.
 */

import type { AddedMembers } from './added-members.ts';
import { READ, ResponseScanner } from './response-scanner.ts';

const COMMA = Buffer.from(',');

export class ResponseRewriter {
  private readonly _id: Uint8Array;
  private readonly _members: AddedMembers | undefined;
  private readonly _reader: ResponseScanner = new ResponseScanner();
  private _chunk: Uint8Array = COMMA;
  /** The position in the chunk up to which the chunk has been copied. */
  private _from = 0;
  private _out: Uint8Array[] = [];
  /** Whether the current value is omitted. */
  private _isLeftOut = false;
  /** Whether no comma has occurred in `result` yet: the first original member that stays needs a comma before it, after the inserted members. */
  private _isFirst = false;
  /** Earlier chunks of a member of `result` whose name is not known yet. */
  private _buffered: Uint8Array[] | undefined;
  private _isUnfit = false;

  /** @param id the id of the answer, as JSON text */
  constructor(id: string, members?: AddedMembers) {
    this._id = Buffer.from(id);
    this._members = members;
  }

  /** Rewrites the next chunk. A complete answer in one chunk gives one chunk. */
  push(chunk: Uint8Array): Uint8Array {
    if (this._isUnfit) return chunk;
    this._chunk = chunk;
    this._from = 0;
    this._out = [];
    this._reader.push(chunk);
    while (this._follow());
    const out = this._out;
    return out.length === 1 ? (out[0] as Uint8Array) : Buffer.concat(out);
  }

  /** Handles the next event of the scanner. Returns false at the end of the chunk. */
  private _follow(): boolean {
    const reader = this._reader;
    switch (reader.next()) {
      case READ.chunk:
        this._endOfChunk();
        return false;
      case READ.violation:
        this._isUnfit = true;
        this._endOfChunk();
        return false;
      case READ.result:
        if (this._members === undefined) break;
        this._copyTo(reader.at);
        this._out.push(Buffer.from(this._members.json));
        this._isFirst = true;
        break;
      case READ.comma:
        if (!this._isChanging) break;
        this._isFirst = false;
        this._hold(reader.at - 1);
        break;
      case READ.nameStart:
        if (this._isChanging && this._isFirst) this._hold(reader.at - 1);
        break;
      case READ.name:
        this._name();
        break;
      case READ.member:
        if (this._isLeftOut) this._from = reader.at;
        this._isLeftOut = false;
    }
    return true;
  }

  /** Whether the scanner is among the members of `result`, where members are inserted. */
  private get _isChanging(): boolean {
    return this._reader.isInResult && this._members !== undefined;
  }

  private _name(): void {
    const { name, isInResult, at } = this._reader;
    if (!isInResult) {
      if (name !== 'id') return;
      this._copyTo(at);
      this._out.push(this._id);
      this._isLeftOut = true;
    } else if (name !== undefined && this._members?.has(name) === true) {
      this._buffered = undefined;
      this._isLeftOut = true;
    } else this._release();
  }

  private _hold(from: number): void {
    this._copyTo(from);
    this._buffered = [];
  }

  /** Copies the current member unchanged. */
  private _release(): void {
    if (this._buffered === undefined) return;
    if (this._isFirst) this._out.push(COMMA);
    for (const piece of this._buffered) this._out.push(piece);
    this._buffered = undefined;
  }

  private _endOfChunk(): void {
    if (this._isUnfit || this._reader.isLongName) this._release();
    if (this._buffered !== undefined) this._buffered.push(Uint8Array.from(this._chunk.subarray(this._from)));
    else if (!this._isLeftOut || this._isUnfit) this._copyTo(this._chunk.length);
  }

  private _copyTo(end: number): void {
    if (end > this._from) this._out.push(this._chunk.subarray(this._from, end));
    this._from = end;
  }
}
