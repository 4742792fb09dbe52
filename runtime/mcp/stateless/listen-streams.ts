import { ConnectionLimit } from '../connection-limit.ts';
import { WIRE_CODE, WireError } from '../wire-error.ts';
import type { Implementation } from './handler.ts';
import type { ListenStream } from './listen-stream.ts';

export interface ListenLimits {
  /** Limit on `subscriptions/listen` streams. Default 10,000. */
  readonly maxListenStreams?: number;
  /** Limit for the clients behind one address, so that one address cannot use up the total. Default half of the total. */
  readonly maxListenStreamsPerAddress?: number;
}

/** The open streams of one process. */
export class ListenStreams {
  readonly #places: ConnectionLimit;
  readonly #streams = new Set<ListenStream>();
  #isEnding = false;

  constructor({ maxListenStreams = 10_000, maxListenStreamsPerAddress }: ListenLimits) {
    this.#places = new ConnectionLimit(maxListenStreams, maxListenStreamsPerAddress);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** @throws WireError with HTTP 503 at a limit, and once streams are being ended. */
  open(stream: ListenStream, address: string): void {
    if (this.#isEnding) throw createUnavailable('the server is shutting down');
    if (!this.#places.take(address)) throw createUnavailable('too many subscriptions');
    this.#streams.add(stream);
  }

  /** Removes an ended stream; `address` as for the opening. */
  delete(stream: ListenStream, address: string): void {
    if (this.#streams.delete(stream)) this.#places.leave(address);
  }

  /** Ends all streams; none is opened any more. */
  end(serverInfo: Implementation): void {
    this.#isEnding = true;
    this.endOpen(serverInfo);
  }

  /** Ends the open streams; clients may return. */
  endOpen(serverInfo: Implementation): void {
    for (const stream of this.#streams) stream.end(serverInfo);
  }
}

function createUnavailable(message: string): WireError {
  return new WireError(WIRE_CODE.internalError, message, { httpStatus: 503 });
}
