import type { ServerResponse } from 'node:http';
import { eventId, LAST, streamName } from './event-id.ts';
import { eventOf, startEventStream } from './event-stream.ts';
import { type KeptEvent, LAST_PLACE } from './replay-buffer.ts';
import { answerLost, errorResponse } from './wire-error.ts';

/** Ceiling on the ended streams that one session keeps for clients that come back. */
export const MAX_ENDED_STREAMS = 64;

/** Ceiling on what is kept of the ended streams of all sessions, in bytes. */
export const MAX_ENDED_BYTES: number = 32 * 1024 * 1024;

/** What an ended stream, and each of its events, takes in memory beside its text, in bytes. */
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
  /** What is kept of it, in order. */
  readonly events: readonly KeptEvent[];
  /** Until when its client may come back, by `performance.now()`. */
  readonly until: number;
  /** Where it is kept, and forgotten. */
  readonly keeper: { forgetEnded(stream: EndedStream): void };
}

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

  add(stream: Omit<EndedStream, 'until'>): EndedStream {
    const ended = { ...stream, until: performance.now() + this.#windowMs };
    this.#streams.add(ended);
    this.#bytes += weightOf(ended);
    for (const oldest of this.#streams) {
      if (this.#bytes <= MAX_ENDED_BYTES) break;
      oldest.keeper.forgetEnded(oldest);
    }
    this.#timer ??= setTimeout(() => this.#sweep(), this.#windowMs).unref();
    return ended;
  }

  /** Called by its keeper alone. */
  delete(stream: EndedStream): void {
    if (this.#streams.delete(stream)) this.#bytes -= weightOf(stream);
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

function weightOf({ events }: EndedStream): number {
  return events.reduce((bytes, event) => bytes + event.bytes + OVERHEAD_BYTES, OVERHEAD_BYTES);
}

/** Answers a client that comes back for what an ended stream had behind a place in it. */
export function replayEnded(res: ServerResponse, { name, request, events }: EndedStream, place: number): void {
  startEventStream(res);
  for (const event of events) {
    if (event.place > place) for (const part of event.parts) res.write(part);
  }
  if (events.at(-1)?.place === LAST_PLACE) res.end();
  else res.end(lostAnswer(name, request));
}

/** Answers a client that comes back for the answer to a request, of whose stream nothing is known any more. */
export function replayLost(res: ServerResponse, number: number, request: string): void {
  startEventStream(res);
  res.end(lostAnswer(streamName(number, request), request));
}

/** The event that ends a stream whose answer was not kept. */
export function lostAnswer(stream: string, request: string | undefined): string {
  return eventOf(errorResponse(request, answerLost()), eventId(stream, LAST));
}
