/**
 * Turns the response to one request into the response to another while it streams through: it replaces the id, and puts members at the
 * beginning of `result` in place of members with the same names. It parses nothing, and forwards everything else as it came. It may only
 * be used for responses that `ResponseValidator` accepts: an invalid response stays invalid.
 */

import type { AddedMembers } from './added-members.ts';
import { READ, ResponseScanner } from './response-scanner.ts';

const COMMA = Buffer.from(',');

export class ResponseRewriter {
  private readonly _id: Uint8Array;
  private readonly _members: AddedMembers | undefined;
  private readonly _reader: ResponseScanner = new ResponseScanner();
  private _chunk: Uint8Array = COMMA;
  /** From where on the chunk has not been copied. */
  private _from = 0;
  private _out: Uint8Array[] = [];
  /** The value at hand is left out. */
  private _isLeftOut = false;
  /** No comma has come in `result`: what is kept of its first member must have one, behind our members. */
  private _isFirst = false;
  /** A member of `result` has begun of which the name is not known yet: what stood of it in earlier chunks. */
  private _held: Uint8Array[] | undefined;
  private _isUnfit = false;

  /** @param id the id of the answer, as JSON text */
  constructor(id: string, members?: AddedMembers) {
    this._id = Buffer.from(id);
    this._members = members;
  }

  /** The next piece of the answer. Whole answers come out whole: one that is one chunk gives one chunk. */
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

  /** Does what is to be done about the next thing that is read. False at the end of the chunk. */
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

  /** What is read is at the level of our members. */
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
      this._held = undefined;
      this._isLeftOut = true;
    } else this._release();
  }

  private _hold(from: number): void {
    this._copyTo(from);
    this._held = [];
  }

  /** The member at hand is kept. */
  private _release(): void {
    if (this._held === undefined) return;
    if (this._isFirst) this._out.push(COMMA);
    for (const piece of this._held) this._out.push(piece);
    this._held = undefined;
  }

  private _endOfChunk(): void {
    if (this._isUnfit || this._reader.isLongName) this._release();
    if (this._held !== undefined) this._held.push(Uint8Array.from(this._chunk.subarray(this._from)));
    else if (!this._isLeftOut || this._isUnfit) this._copyTo(this._chunk.length);
  }

  private _copyTo(end: number): void {
    if (end > this._from) this._out.push(this._chunk.subarray(this._from, end));
    this._from = end;
  }
}
