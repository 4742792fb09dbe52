import type { BufferedResponses } from './buffered-responses.ts';

/** What is kept of an answer, in bytes; a longer one is lost. */
export const MAX_BUFFERED_BYTES: number = 1024 * 1024;

/** What each chunk takes in memory besides its bytes: a backend may send them one by one. */
const OVERHEAD_BYTES = 256;

/** The part of a response that comes while its client is away. */
export class BufferedResponse {
  private readonly _all: BufferedResponses;
  private _chunks: Uint8Array[] = [];
  /** What they take. */
  private _bytes = 0;
  private _isLost = false;

  /** @param all those of all calls, which this one is among from its first chunk until it is taken or lost */
  constructor(all: BufferedResponses) {
    this._all = all;
  }

  /** It is longer than what is kept, or had to make room; nothing of it is kept. */
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
    this._chunks.push(Uint8Array.from(chunk)); // The chunk may be a small part of what was read.
    this._bytes += bytes;
    this._all.add(this, bytes);
  }

  /** Keeps nothing of it, now and later. */
  lose(): void {
    this._isLost = true;
    this.take();
  }

  /** The chunks so far; they are kept no longer. */
  take(): readonly Uint8Array[] {
    this._all.delete(this, this._bytes);
    this._bytes = 0;
    return this._chunks.splice(0);
  }
}
