import type { ServerResponse } from 'node:http';
import { eventOf, HEARTBEAT, startEventStream } from './event-stream.ts';

/** Ceiling on what waits for a client that does not read its stream, in bytes; beyond it the connection is broken. */
export const MAX_UNREAD_BYTES: number = 4 * 1024 * 1024;

/** The stream a client opened with GET: carries what the server says of its own accord. */
export class StandingStream {
  readonly #res: ServerResponse;

  /** @param heartbeatMs Pause between comments that keep the connection alive, in milliseconds. */
  constructor(res: ServerResponse, heartbeatMs: number, onClose: (stream: StandingStream) => void) {
    this.#res = res;
    startEventStream(res);
    res.write(HEARTBEAT); // Sends the headers: the client learns at once that the stream is open.
    const timer = startHeartbeat(res, heartbeatMs);
    res.once('close', () => {
      clearInterval(timer);
      onClose(this);
    });
  }

  /** Returns false when the stream has ended. */
  send(json: string): boolean {
    return writeEvent(this.#res, json);
  }

  end(): void {
    this.#res.end();
  }
}

/** Writes a comment at each interval; does not keep the process alive. */
export function startHeartbeat(res: ServerResponse, heartbeatMs: number): NodeJS.Timeout {
  return setInterval(() => res.write(HEARTBEAT), heartbeatMs).unref();
}

/** Writes one event, or breaks the connection of a client that has stopped reading. Returns whether it was written. */
export function writeEvent(res: ServerResponse, json: string): boolean {
  if (res.destroyed || res.writableEnded) return false;
  if (res.writableLength > MAX_UNREAD_BYTES) {
    res.destroy();
    return false;
  }
  res.write(eventOf(json));
  return true;
}
