import type { ReplayEvent } from './replay-buffer.ts';

/** Limit on the events of streams that have not ended and that are kept for clients that come back, in all sessions; bytes. */
export const MAX_ALL_KEPT_BYTES: number = 64 * 1024 * 1024;

/** What a kept event takes in memory besides its text, in bytes. */
export const EVENT_BYTES = 512;

/** These events of all sessions of one process. The oldest make room for new ones. */
export class ReplayStore {
  /** How each is forgotten; oldest first. */
  readonly #events = new Map<ReplayEvent, (event: ReplayEvent) => void>();
  readonly #max: number;
  #bytes = 0;

  constructor(max: number = MAX_ALL_KEPT_BYTES) {
    this.#max = max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param forget Forgets the event and {@link ReplayStore.delete deletes} it. */
  add(event: ReplayEvent, forget: (event: ReplayEvent) => void): void {
    this.#events.set(event, forget);
    this.#bytes += EVENT_BYTES;
  }

  /** An event that was added has grown. */
  grow(event: ReplayEvent, bytes: number): void {
    if (!this.#events.has(event)) return;
    this.#bytes += bytes;
    for (const [oldest, forget] of this.#events) {
      if (this.#bytes <= this.#max) return;
      forget(oldest);
    }
  }

  /** `event.bytes` are given back, too. */
  delete(event: ReplayEvent): void {
    if (this.#events.delete(event)) this.#bytes -= EVENT_BYTES + event.bytes;
  }
}
