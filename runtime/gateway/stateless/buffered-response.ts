import type { BufferedResponses } from './buffered-responses.ts';

/** Limit on the buffered part of an answer, in bytes; an answer that exceeds it is lost. */
export const MAX_BUFFERED_BYTES: number = 1024 * 1024;

/** Memory of each chunk beyond its bytes: a backend may send single bytes. */
const OVERHEAD_BYTES = 256;

/** The beginning of a response that arrives while its client is away. */
export class BufferedResponse {
  private readonly _all: BufferedResponses;
  private _chunks: Uint8Array[] = [];
  /** The bytes of the chunks with their overhead. */
  private _bytes = 0;
  private _isLost = false;

  /** @param all the buffered responses of all calls; this one is among them from its first chunk until it is taken or lost */
  constructor(all: BufferedResponses) {
    this._all = all;
  }

  /** Whether the response exceeds the limit, or was removed to make room; nothing of it remains. */
  get isLost(): boolean {
    return this._isLost;
  }

  push(chunk: Uint8Array): void {
    if (this._isLost) return;
    const bytes = chunk.length + OVERHEAD_BYTES;
    if (this._bytes + bytes > MAX_BUFFERED_BYTES) {
      this.lose();
      return;
    }
    this._chunks.push(Uint8Array.from(chunk)); // A copy, because the chunk may be a small part of a larger buffer.
    this._bytes += bytes;
    this._all.add(this, bytes);
  }

  /** Drops the response and all further chunks. */
  lose(): void {
    this._isLost = true;
    this.take();
  }

  /** Returns and removes the chunks that have arrived so far. */
  take(): readonly Uint8Array[] {
    this._all.delete(this, this._bytes);
    this._bytes = 0;
    return this._chunks.splice(0);
  }
}
