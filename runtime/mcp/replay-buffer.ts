import type { ReplayStore } from './replay-store.ts';

/** Limit on the events that one session keeps for clients that come back. */
export const MAX_KEPT_EVENTS = 256;

/** Limit on the bytes of those events, together. */
export const MAX_KEPT_BYTES: number = 1024 * 1024;

/** The place of the last event of a stream among those that are kept: behind all others. */
export const LAST_PLACE: number = Number.MAX_SAFE_INTEGER;

/** One event as it was written, or an answer of which a part has been written so far. */
export interface ReplayEvent {
  /** The place in its stream, from 1. */
  readonly position: number;
  /** The writer passes a copy of bytes: their memory is given back when the event is forgotten. */
  readonly parts: readonly (string | Uint8Array)[];
  readonly bytes: number;
  /** False once it had to make room; a client that reconnects then does without it. */
  readonly isKept: boolean;
}

/** The events of one stream, in order. Its owner makes it; the buffer adds to it, and takes out what had to make room. */
export type ReplayStream = ReplayEvent[];

type Growing = { -readonly [K in keyof ReplayEvent]: ReplayEvent[K] } & { parts: (string | Uint8Array)[] };

const NOTHING: (string | Uint8Array)[] = [];

/** The latest events of all streams of one session. The oldest make room for new ones. */
export class ReplayBuffer {
  /** Events of streams that have not ended, oldest first. */
  readonly #open = new Set<ReplayEvent>();
  readonly #spare: () => boolean;
  /** The events of all sessions. */
  readonly #all: ReplayStore;
  readonly #forgetOne = (event: ReplayEvent): void => this.#forget(event);
  #count = 0;
  #bytes = 0;

  /** @param spare Forgets an ended stream, if there is one; returns whether there was. */
  constructor(spare: () => boolean, all: ReplayStore) {
    this.#spare = spare;
    this.#all = all;
  }

  /** Keeps an event, or the beginning of one. What is too large alone costs the others nothing: it is not kept. */
  add(stream: ReplayStream, position: number, part: string): ReplayEvent {
    while (stream[0]?.isKept === false) stream.shift();
    const event: Growing = { position, parts: [], bytes: 0, isKept: true };
    stream.push(event);
    this.#open.add(event);
    this.#all.add(event, this.#forgetOne);
    this.#count++;
    this.grow(event, part);
    return event;
  }

  /** Adds to an event. Bytes are copied: their memory is given back when they are written. */
  grow(event: ReplayEvent, part: string | Uint8Array): void {
    if (!event.isKept) return;
    const bytes = typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    if (event.bytes + bytes > MAX_KEPT_BYTES) {
      this.#forget(event);
      return;
    }
    (event as Growing).parts.push(typeof part === 'string' ? part : Uint8Array.from(part));
    (event as Growing).bytes += bytes;
    this.#bytes += bytes;
    this.#all.grow(event, bytes);
    if (this.#isFull) this.#makeRoom();
  }

  /** The stream has ended: from here on its events make room together, when `spare` says so. */
  end(stream: ReplayStream): void {
    for (const event of stream) this.#leaveOpen(event);
  }

  /** Forgets an event, the latest of its stream. */
  forgetLast(stream: ReplayStream, event: ReplayEvent): void {
    this.#forget(event);
    if (stream.at(-1) === event) stream.pop();
  }

  /** Forgets all events of a stream. */
  forgetStream(stream: ReplayStream): void {
    for (const event of stream) this.#forget(event);
    stream.length = 0;
  }

  #forget(event: ReplayEvent): void {
    if (!event.isKept) return;
    this.#leaveOpen(event);
    this.#count--;
    this.#bytes -= event.bytes;
    for (const part of event.parts) if (typeof part !== 'string') giveBack(part);
    (event as Growing).isKept = false;
    (event as Growing).parts = NOTHING;
  }

  #leaveOpen(event: ReplayEvent): void {
    if (this.#open.delete(event)) this.#all.delete(event);
  }

  get #isFull(): boolean {
    return this.#count > MAX_KEPT_EVENTS || this.#bytes > MAX_KEPT_BYTES;
  }

  #makeRoom(): void {
    while (this.#isFull && this.#spare());
    for (const oldest of this.#open) {
      if (!this.#isFull) return;
      this.#forget(oldest);
    }
  }
}

/** V8 keeps so many bytes of an array besides its other members. */
const INLINE_BYTES = 64;

/** What was kept for a while has become old, and V8 looks at what is old seldom: until then memory would grow with every answer. */
function giveBack(bytes: Uint8Array): void {
  if (bytes.length > INLINE_BYTES) (bytes.buffer as ArrayBuffer).transfer(0);
}
