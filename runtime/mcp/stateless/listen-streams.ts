import { WIRE_CODE, WireError } from '../wire-error.ts';
import type { Implementation } from './handler.ts';
import type { ListenStream } from './listen-stream.ts';

export interface ListenCeilings {
  /** Ceiling on `subscriptions/listen` streams. Default 10,000. */
  readonly maxListenStreams?: number;
  /** The same for clients behind one address, so that one of them cannot take all. Default half of it. */
  readonly maxListenStreamsPerAddress?: number;
}

/** The open streams of one process. */
export class ListenStreams {
  readonly #max: number;
  readonly #maxPerAddress: number;
  readonly #streams = new Set<ListenStream>();
  /** How many of them there are by remote address. */
  readonly #byAddress = new Map<string, number>();
  #isEnding = false;

  constructor({ maxListenStreams = 10_000, maxListenStreamsPerAddress }: ListenCeilings) {
    this.#max = maxListenStreams;
    this.#maxPerAddress = maxListenStreamsPerAddress ?? Math.ceil(maxListenStreams / 2);
  }

  get size(): number {
    return this.#streams.size;
  }

  /** @throws WireError with HTTP 503 at a ceiling, and once streams are being ended. */
  open(stream: ListenStream, address: string): void {
    const open = this.#byAddress.get(address) ?? 0;
    if (this.#isEnding) throw unavailable('the server is shutting down');
    if (this.size >= this.#max || open >= this.#maxPerAddress) throw unavailable('too many subscriptions');
    this.#streams.add(stream);
    this.#byAddress.set(address, open + 1);
  }

  /** Forgets a stream that has ended; `address` as it was when it was opened. */
  delete(stream: ListenStream, address: string): void {
    this.#streams.delete(stream);
    const left = (this.#byAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#byAddress.set(address, left);
    else this.#byAddress.delete(address);
  }

  /** Ends all streams; none is opened any more. */
  end(serverInfo: Implementation): void {
    this.#isEnding = true;
    this.endOpen(serverInfo);
  }

  /** Ends those that are open; clients may come back. */
  endOpen(serverInfo: Implementation): void {
    for (const stream of this.#streams) stream.end(serverInfo);
  }
}

function unavailable(message: string): WireError {
  return new WireError(WIRE_CODE.internalError, message, { httpStatus: 503 });
}
