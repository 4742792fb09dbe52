/** A body that is read only when it is complete. */
export class BoundedBuffer {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the next chunk; returns false when the body is too long. */
  push(chunk: Buffer): boolean {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) return false;
    this.#chunks.push(chunk);
    return true;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks, this.#length);
  }
}
