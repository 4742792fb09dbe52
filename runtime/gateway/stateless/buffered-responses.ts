import type { BufferedResponse } from './buffered-response.ts';

/** Limit on what is kept of the answers of all calls, in bytes. */
export const MAX_ALL_BUFFERED_BYTES: number = 32 * 1024 * 1024;

/** What is kept of the answers to all clients that are away. The oldest make room for what comes. */
export class BufferedResponses {
  /** By age. */
  readonly #answers = new Set<BufferedResponse>();
  #bytes = 0;

  /** What they take together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** An answer keeps this many bytes more; it may be lost by that itself. */
  add(answer: BufferedResponse, bytes: number): void {
    this.#answers.add(answer);
    this.#bytes += bytes;
    if (this.#bytes > MAX_ALL_BUFFERED_BYTES) this.#makeRoom();
  }

  /** Called by the answer alone, with all that it has added. */
  delete(answer: BufferedResponse, bytes: number): void {
    if (this.#answers.delete(answer)) this.#bytes -= bytes;
  }

  #makeRoom(): void {
    for (const oldest of this.#answers) {
      if (this.#bytes <= MAX_ALL_BUFFERED_BYTES) return;
      oldest.lose();
    }
  }
}
