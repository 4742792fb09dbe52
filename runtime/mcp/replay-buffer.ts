/** Ceiling on the events that one session keeps for clients that come back. */
export const MAX_KEPT_EVENTS = 256;

/** Ceiling on the bytes of those events, together. */
export const MAX_KEPT_BYTES: number = 1024 * 1024;

/** The place of the last event of a stream among those that are kept: behind all others. */
export const LAST_PLACE: number = Number.MAX_SAFE_INTEGER;

/** One event as it was written, or an answer of which a part has been written so far. */
export interface KeptEvent {
  readonly stream: number;
  /** The place in its stream, from 1. */
  readonly place: number;
  readonly parts: (string | Uint8Array)[];
  readonly bytes: number;
  /** False once it had to make room; whoever comes back then does without it. */
  readonly isKept: boolean;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The latest events of all streams of one session. The oldest make room for new ones. */
export class ReplayBuffer {
  readonly #events = new Set<Writable<KeptEvent>>();
  readonly #spare: () => boolean;
  #bytes = 0;

  /** @param spare Forgets what can be missed most easily, if there is such; returns whether there was. */
  constructor(spare: () => boolean) {
    this.#spare = spare;
  }

  /** Keeps an event, or the beginning of one. What is too large alone costs the others nothing: it is not kept. */
  add(stream: number, place: number, part: string): KeptEvent {
    const event = { stream, place, parts: [], bytes: 0, isKept: true };
    this.#events.add(event);
    this.grow(event, part);
    return event;
  }

  /** Adds to an event. Bytes are copied: their memory is given back when they are written. */
  grow(event: KeptEvent, part: string | Uint8Array): void {
    if (!event.isKept) return;
    const bytes = typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    if (event.bytes + bytes > MAX_KEPT_BYTES) {
      this.forget(event);
      return;
    }
    event.parts.push(typeof part === 'string' ? part : Uint8Array.from(part));
    (event as Writable<KeptEvent>).bytes += bytes;
    this.#bytes += bytes;
    this.#makeRoom();
  }

  /** What is kept of a stream behind a place in it, in order. */
  after(stream: number, place: number): KeptEvent[] {
    return [...this.#events].filter(event => event.stream === stream && event.place > place);
  }

  forget(event: KeptEvent): void {
    if (!this.#events.delete(event)) return;
    this.#bytes -= event.bytes;
    (event as Writable<KeptEvent>).isKept = false;
    event.parts.length = 0;
  }

  /** Forgets all events of a stream. */
  forgetStream(stream: number): void {
    for (const event of this.#events) {
      if (event.stream === stream) this.forget(event);
    }
  }

  #makeRoom(): void {
    while (this.#isFull && this.#spare());
    for (const oldest of this.#events) {
      if (!this.#isFull) return;
      this.forget(oldest);
    }
  }

  get #isFull(): boolean {
    return this.#events.size > MAX_KEPT_EVENTS || this.#bytes > MAX_KEPT_BYTES;
  }
}
