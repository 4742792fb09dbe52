import type { ServerResponse } from 'node:http';
import { HEARTBEAT, startEventStream, startHeartbeat, writeEvent } from './event-stream.ts';

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
