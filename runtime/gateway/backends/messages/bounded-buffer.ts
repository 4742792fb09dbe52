/** A body that is looked at when all of it has come. */
export class BoundedBuffer {
  readonly #chunks: Buffer[] = [];
  readonly #maxBytes: number;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next chunk; false when the body is too long. */
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
