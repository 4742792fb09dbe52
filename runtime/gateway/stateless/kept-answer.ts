/** What is kept of an answer, in bytes; a longer one is lost. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** What comes of an answer while its client is away. */
export class KeptAnswer {
  private _chunks: Uint8Array[] = [];
  private _bytes = 0;

  /** It is longer than what is kept, and nothing of it is. */
  get isLost(): boolean {
    return this._bytes > MAX_KEPT_BYTES;
  }

  push(chunk: Uint8Array): void {
    this._bytes += chunk.length;
    if (this.isLost) this._chunks = [];
    else this._chunks.push(Uint8Array.from(chunk)); // The chunk may be a small part of what was read.
  }

  /** The chunks so far; they are kept no longer. */
  take(): readonly Uint8Array[] {
    return this._chunks.splice(0);
  }
}
