import { type EventPosition, formatEventId, formatStreamName, isReading, LAST } from './event-id.ts';
import { formatEvent } from './event-stream.ts';
import { LAST_PLACE, type ReplayStream } from './replay-buffer.ts';
import type { StreamConnection } from './stream-connection.ts';
import { createAnswerLost, formatErrorResponse } from './wire-error.ts';

/** Maximum number of ended streams of one session that are kept for reconnecting clients. */
export const MAX_ENDED_STREAMS = 32;

/** Limit on the kept events of the ended streams of all sessions, in bytes. */
export const MAX_ENDED_BYTES: number = 32 * 1024 * 1024;

/** Estimated memory of an ended stream, and of each of its events, in addition to the text; bytes. */
const OVERHEAD_BYTES = 512;

/** An ended stream. The gateway has written it completely, but the client may not have received it, because the connection may have broken. */
export interface EndedStream {
  readonly number: number;
  readonly name: string;
  /** The id of the request whose answer ended the stream, as JSON text. */
  readonly request: string | undefined;
  /** Its kept events. */
  readonly replayStream: ReplayStream;
  /** Its memory, in bytes. */
  readonly memory: number;
  /** Time until which the client may reconnect, on the clock of `performance.now()`. */
  readonly until: number;
  readonly keeper: EndedStreamKeeper;
}

/** The owner of an ended stream, which keeps the streams of its session. */
export interface EndedStreamKeeper {
  /** Removes the stream, and {@link EndedStreams.delete deletes} it. */
  forgetEnded(stream: EndedStream): void;
}

export type EndedStreamContent = Pick<EndedStream, 'number' | 'name' | 'request' | 'replayStream'>;

/** The ended streams of all sessions of one process. New streams replace the oldest ones, and no stream is kept longer than `windowMs`. */
export class EndedStreams {
  readonly #windowMs: number;
  /** Oldest first, which is also the order in which their windows end. */
  readonly #streams = new Set<EndedStream>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param windowMs how long an ended stream is kept for a reconnecting client, in milliseconds */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** The memory of all kept streams, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  add(keeper: EndedStreamKeeper, { number, name, request, replayStream }: EndedStreamContent): EndedStream {
    const memory = computeMemory(replayStream);
    const ended = {
      number,
      name,
      request,
      replayStream,
      memory,
      until: performance.now() + this.#windowMs,
      keeper,
    };
    this.#streams.add(ended);
    this.#bytes += memory;
    if (this.#bytes > MAX_ENDED_BYTES) this.#makeRoom();
    this.#timer ??= setTimeout(() => this.#sweep(), this.#windowMs).unref();
    return ended;
  }

  /** Called only by its owner. */
  delete(stream: EndedStream): void {
    if (this.#streams.delete(stream)) this.#bytes -= stream.memory;
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

function computeMemory(replayStream: ReplayStream): number {
  let memory = OVERHEAD_BYTES;
  for (const event of replayStream) memory += event.bytes + OVERHEAD_BYTES;
  return memory;
}

/** Answers a client that requests the events of an ended stream after a position. */
export function replayEnded(
  outlet: StreamConnection,
  { name, request, replayStream }: EndedStream,
  position: number,
): void {
  if (replay(outlet, replayStream, position)) outlet.end();
  else outlet.end(formatLostAnswer(name, request));
}

/** Writes the kept events of a stream after a position. Returns whether its last event was among them. */
export function replay(outlet: StreamConnection, replayStream: ReplayStream, position: number): boolean {
  let last = 0;
  for (const event of replayStream) {
    if (event.position <= position || !event.isKept) continue;
    for (const part of event.parts) outlet.write(typeof part === 'string' ? part : Uint8Array.from(part));
    last = event.position;
  }
  return last === LAST_PLACE;
}

/** Answers a client that reconnects to the stream of a request when the stream is no longer known: with an error for that request. */
export function replayLost(outlet: StreamConnection, { stream, request, onlyReads }: EventPosition): void {
  outlet.end(formatLostAnswer(formatStreamName(stream, request, onlyReads), request));
}

/** The event that ends a stream whose answer is lost: an error for the request. */
export function formatLostAnswer(stream: string, request: string | undefined): string {
  return formatEvent(formatErrorResponse(request, createAnswerLost(isReading(stream))), formatEventId(stream, LAST));
}
