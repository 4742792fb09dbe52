/** What is kept of an answer, in bytes; a longer one is lost. */
const MAX_KEPT_BYTES = 1024 * 1024;

/** What comes of an answer while its client is away. */
export class KeptAnswer {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** It is longer than what is kept, and nothing of it is. */
  get isLost(): boolean {
    return this.#bytes > MAX_KEPT_BYTES;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.isLost) this.#chunks = [];
    else this.#chunks.push(Uint8Array.from(chunk)); // The chunk belongs to its sender.
  }

  /** The chunks so far; they are kept no longer. */
  take(): readonly Uint8Array[] {
    return this.#chunks.splice(0);
  }
}
