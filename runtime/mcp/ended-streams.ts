import { eventId, LAST, streamName } from './event-id.ts';
import { formatEvent } from './event-stream.ts';
import type { Outlet } from './outlet.ts';
import { LAST_PLACE, type ReplayStream } from './replay-buffer.ts';
import { answerLost, errorResponse } from './wire-error.ts';

/** Limit on the ended streams that one session keeps for clients that come back. */
export const MAX_ENDED_STREAMS = 32;

/** Limit on what is kept of the ended streams of all sessions, in bytes. */
export const MAX_ENDED_BYTES: number = 32 * 1024 * 1024;

/** What an ended stream, and each of its events, takes in memory besides its text, in bytes. */
const OVERHEAD_BYTES = 512;

/**
 * A stream that has come to its end. All of it was written, but that the kernel has the bytes does not say that the client has:
 * most connections break in between.
 */
export interface EndedStream {
  readonly number: number;
  readonly name: string;
  /** The id of the request whose answer ended it, as JSON text. */
  readonly request: string | undefined;
  /** What is kept of it. */
  readonly kept: ReplayStream;
  /** What it takes in memory, in bytes. */
  readonly weight: number;
  /** Until when its client may come back, by `performance.now()`. */
  readonly until: number;
  readonly keeper: EndedStreamKeeper;
}

/** Where an ended stream is kept: the streams of its session. */
export interface EndedStreamKeeper {
  /** Forgets it, and {@link EndedStreams.delete deletes} it. */
  forgetEnded(stream: EndedStream): void;
}

export type EndedStreamContent = Pick<EndedStream, 'number' | 'name' | 'request' | 'kept'>;

/** The ended streams of all sessions of one process. The oldest make room for new ones, and none stays longer than the window. */
export class EndedStreams {
  readonly #windowMs: number;
  /** By age, which is the order in which their windows are over, too. */
  readonly #streams = new Set<EndedStream>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param windowMs How long a client may come back for one, in milliseconds. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** What they take in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  add(keeper: EndedStreamKeeper, { number, name, request, kept }: EndedStreamContent): EndedStream {
    const weight = computeWeight(kept);
    const ended = { number, name, request, kept, weight, until: performance.now() + this.#windowMs, keeper };
    this.#streams.add(ended);
    this.#bytes += weight;
    if (this.#bytes > MAX_ENDED_BYTES) this.#makeRoom();
    this.#timer ??= setTimeout(() => this.#sweep(), this.#windowMs).unref();
    return ended;
  }

  /** Called by its keeper alone. */
  delete(stream: EndedStream): void {
    if (this.#streams.delete(stream)) this.#bytes -= stream.weight;
  }

  #makeRoom(): void {
    for (const oldest of this.#streams) {
      if (this.#bytes <= MAX_ENDED_BYTES) return;
      oldest.keeper.forgetEnded(oldest);
    }
  }

  #sweep(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const oldest of this.#streams) {
      if (oldest.until > now) {
        this.#timer = setTimeout(() => this.#sweep(), oldest.until - now).unref();
        return;
      }
      oldest.keeper.forgetEnded(oldest);
    }
  }
}

function computeWeight(kept: ReplayStream): number {
  let weight = OVERHEAD_BYTES;
  for (const event of kept) weight += event.bytes + OVERHEAD_BYTES;
  return weight;
}

/** Answers a client that comes back for what an ended stream had behind a place in it. */
export function replayEnded(outlet: Outlet, { name, request, kept }: EndedStream, position: number): void {
  if (replay(outlet, kept, position)) outlet.end();
  else outlet.end(lostAnswer(name, request));
}

/** Writes what is kept of a stream behind a place in it. Returns whether its last event was among that. */
export function replay(outlet: Outlet, kept: ReplayStream, position: number): boolean {
  let last = 0;
  for (const event of kept) {
    if (event.position <= position || !event.isKept) continue;
    for (const part of event.parts) outlet.write(typeof part === 'string' ? part : Uint8Array.from(part));
    last = event.position;
  }
  return last === LAST_PLACE;
}

/** Answers a client that comes back for the answer to a request, of whose stream nothing is known any more. */
export function replayLost(outlet: Outlet, number: number, request: string): void {
  outlet.end(lostAnswer(streamName(number, request), request));
}

/** The event that ends a stream whose answer was not kept. */
export function lostAnswer(stream: string, request: string | undefined): string {
  return formatEvent(errorResponse(request, answerLost()), eventId(stream, LAST));
}
