/**
 * How often, how long and how fast the lost stream of one call is looked for again. Backends may close it on purpose and
 * have us come back later.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import { Backoff, type ReconnectLimits } from './backoff.ts';

/** Attempts one after another that bring no event. */
const MAX_FRUITLESS = 5;

/** From the first loss on; milliseconds. */
const MAX_TOTAL_MS = 30 * 60_000;

export class StreamResumption {
  readonly #backoff: Backoff;
  readonly #startedAt: number = performance.now();
  #lastEventId = '';
  #fruitless = 0;

  constructor(limits: ReconnectLimits) {
    this.#backoff = new Backoff(limits);
  }

  /** The last event of all streams so far; what follows it is asked for. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /**
   * How long to wait before the next attempt, in milliseconds; undefined when it is to be given up.
   *
   * @param lastEventId of the stream that was lost; empty when it gave none
   * @param retryMs what the backend asked for
   */
  next(lastEventId: string, retryMs: number | undefined): number | undefined {
    if (lastEventId !== '' && lastEventId !== this.#lastEventId) {
      this.#fruitless = 0;
      this.#lastEventId = lastEventId;
      this.#backoff.reset();
    }
    if (retryMs !== undefined) this.#backoff.setFirst(retryMs);
    if (!canBeHeader(this.#lastEventId) || performance.now() - this.#startedAt > MAX_TOTAL_MS) return undefined;
    return this.#fruitless++ < MAX_FRUITLESS ? this.#backoff.next() : undefined;
  }
}

/** Not every id of an event can stand in `Last-Event-ID`. */
export function canBeHeader(eventId: string): boolean {
  return /^[\x20-\x7e]+$/.test(eventId);
}
