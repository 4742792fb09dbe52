/** Limit on what is on its way to other replicas, in bytes: the store of sessions holds it until they read it. */
export const MAX_ALL_UNREAD_BYTES: number = 16 * 1024 * 1024;

interface WaitingWriter {
  drained(): void;
}

/** The bytes of all answers that other replicas have not read yet. */
export class UnreadRounds {
  readonly #waiting = new Set<WaitingWriter>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_ALL_UNREAD_BYTES;
  }

  /** @param bytes below 0 for what was read */
  add(bytes: number): void {
    const wasFull = this.isFull;
    this.#bytes += bytes;
    if (wasFull && !this.isFull) for (const answer of [...this.#waiting]) answer.drained();
  }

  /** To be called when there is room again. */
  wait(answer: WaitingWriter): void {
    this.#waiting.add(answer);
  }

  leave(answer: WaitingWriter): void {
    this.#waiting.delete(answer);
  }
}
