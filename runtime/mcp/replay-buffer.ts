import type { ReplayStore } from './replay-store.ts';

/** Maximum number of events of one session that are kept for reconnecting clients. */
export const MAX_KEPT_EVENTS = 256;

/** Limit on the total bytes of those events. */
export const MAX_KEPT_BYTES: number = 1024 * 1024;

/** The position of the last event of a stream, which is after all other positions. */
export const LAST_PLACE: number = Number.MAX_SAFE_INTEGER;

/** One event as it was written, or an answer that is partly written. */
export interface ReplayEvent {
  /** The position of the event in its stream, from 1. */
  readonly position: number;
  /** The writer passes a copy of bytes, because their memory is released with the event. */
  readonly parts: readonly (string | Uint8Array)[];
  readonly bytes: number;
  /** False once the event was removed to make room; a client that reconnects does not get it. */
  readonly isKept: boolean;
}

/** The events of one stream, in order. Its owner creates it; the buffer adds events, and removes those that must make room. */
export type ReplayStream = ReplayEvent[];

type MutableReplayEvent = { -readonly [K in keyof ReplayEvent]: ReplayEvent[K] } & { parts: (string | Uint8Array)[] };

const NOTHING: (string | Uint8Array)[] = [];

/** The latest events of all streams of one session. The oldest are removed to make room for new ones. */
export class ReplayBuffer {
  /** Events of open streams, oldest first. */
  readonly #open = new Set<ReplayEvent>();
  readonly #spare: () => boolean;
  /** The events of all sessions. */
  readonly #all: ReplayStore;
  readonly #forgetOne = (event: ReplayEvent): void => this.#forget(event);
  #count = 0;
  #bytes = 0;

  /** @param spare removes an ended stream, if there is one; returns whether there was one */
  constructor(spare: () => boolean, all: ReplayStore) {
    this.#spare = spare;
    this.#all = all;
  }

  /** Adds an event, or the beginning of an event. An event above the limit is not kept, and removes no other event. */
  add(stream: ReplayStream, position: number, part: string): ReplayEvent {
    while (stream[0]?.isKept === false) stream.shift();
    const event: MutableReplayEvent = { position, parts: [], bytes: 0, isKept: true };
    stream.push(event);
    this.#open.add(event);
    this.#all.add(event, this.#forgetOne);
    this.#count++;
    this.grow(event, part);
    return event;
  }

  /** Adds to an event. Bytes are copied, because their memory is released after the write. */
  grow(event: ReplayEvent, part: string | Uint8Array): void {
    if (!event.isKept) return;
    const bytes = typeof part === 'string' ? Buffer.byteLength(part) : part.length;
    if (event.bytes + bytes > MAX_KEPT_BYTES) {
      this.#forget(event);
      return;
    }
    (event as MutableReplayEvent).parts.push(typeof part === 'string' ? part : Uint8Array.from(part));
    (event as MutableReplayEvent).bytes += bytes;
    this.#bytes += bytes;
    this.#all.grow(event, bytes);
    if (this.#isFull) this.#makeRoom();
  }

  /** The stream has ended: from now on only `spare` removes its events to make room, and removes all of them at once. */
  end(stream: ReplayStream): void {
    for (const event of stream) this.#leaveOpen(event);
  }

  /** Removes an event, the latest of its stream. */
  forgetLast(stream: ReplayStream, event: ReplayEvent): void {
    this.#forget(event);
    if (stream.at(-1) === event) stream.pop();
  }

  /** Removes all events of a stream. */
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
    (event as MutableReplayEvent).isKept = false;
    (event as MutableReplayEvent).parts = NOTHING;
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

/** V8 stores arrays of up to this many bytes within the object. */
const INLINE_BYTES = 64;

/** Releases the memory of bytes at once. V8 rarely collects old objects, so memory would otherwise grow with every answer. */
function giveBack(bytes: Uint8Array): void {
  if (bytes.length > INLINE_BYTES) (bytes.buffer as ArrayBuffer).transfer(0);
}
