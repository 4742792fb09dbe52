import type { ReplayEvent } from './replay-buffer.ts';

/** Limit on the kept events of open streams in all sessions; bytes. */
export const MAX_ALL_KEPT_BYTES: number = 64 * 1024 * 1024;

/** Estimated memory of a kept event in addition to its text; bytes. */
export const EVENT_BYTES = 512;

/** The kept events of all sessions of one process. The oldest are removed to make room for new ones. */
export class ReplayStore {
  /** The events, oldest first, each with the function that removes it. */
  readonly #events = new Map<ReplayEvent, (event: ReplayEvent) => void>();
  readonly #max: number;
  #bytes = 0;

  constructor(max: number = MAX_ALL_KEPT_BYTES) {
    this.#max = max;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @param forget removes the event and {@link ReplayStore.delete deletes} it */
  add(event: ReplayEvent, forget: (event: ReplayEvent) => void): void {
    this.#events.set(event, forget);
    this.#bytes += EVENT_BYTES;
  }

  /** An added event has grown. */
  grow(event: ReplayEvent, bytes: number): void {
    if (!this.#events.has(event)) return;
    this.#bytes += bytes;
    for (const [oldest, forget] of this.#events) {
      if (this.#bytes <= this.#max) return;
      forget(oldest);
    }
  }

  /** Also releases `event.bytes`. */
  delete(event: ReplayEvent): void {
    if (this.#events.delete(event)) this.#bytes -= EVENT_BYTES + event.bytes;
  }
}
