/** Limit on the bytes that are sent to other replicas and unread, since the session store holds them. */
export const MAX_ALL_UNREAD_BYTES: number = 16 * 1024 * 1024;

interface WaitingWriter {
  drained(): void;
}

/** The unread bytes of all answers for other replicas. */
export class UnreadRounds {
  readonly #waiting = new Set<WaitingWriter>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isFull(): boolean {
    return this.#bytes >= MAX_ALL_UNREAD_BYTES;
  }

  /**
   * Counts bytes that were sent or read.
   * @param bytes negative after a read
   */
  add(bytes: number): void {
    const wasFull = this.isFull;
    this.#bytes += bytes;
    if (wasFull && !this.isFull) for (const answer of [...this.#waiting]) answer.drained();
  }

  /** Adds an answer, which is notified when there is room again. */
  wait(answer: WaitingWriter): void {
    this.#waiting.add(answer);
  }

  leave(answer: WaitingWriter): void {
    this.#waiting.delete(answer);
  }
}
