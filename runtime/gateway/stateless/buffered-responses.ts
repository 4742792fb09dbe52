import type { BufferedResponse } from './buffered-response.ts';

/** Limit on the buffered answers of all calls, in bytes. */
export const MAX_ALL_BUFFERED_BYTES: number = 32 * 1024 * 1024;

/** The buffered answers of all clients that are away. The oldest ones are removed to make room. */
export class BufferedResponses {
  /** Buffered answers, the oldest first. */
  readonly #answers = new Set<BufferedResponse>();
  #bytes = 0;

  /** The bytes of all buffered answers together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Called when an answer buffers this many more bytes; the answer itself may be dropped to make room. */
  add(answer: BufferedResponse, bytes: number): void {
    this.#answers.add(answer);
    this.#bytes += bytes;
    if (this.#bytes > MAX_ALL_BUFFERED_BYTES) this.#makeRoom();
  }

  /** Removes an answer. Only the answer itself calls this, with all its bytes. */
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
