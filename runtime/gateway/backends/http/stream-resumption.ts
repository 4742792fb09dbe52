/**
 * Limits how often, how long and how fast the gateway tries to resume the lost stream of one call. Backends may close a stream on purpose and
 * expect the client to return later.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import { Backoff, type ReconnectLimits } from '../backoff.ts';

/** Maximum number of consecutive attempts that bring no event. */
const MAX_FRUITLESS = 5;

/** Maximum time of all attempts together, counted from the first loss; milliseconds. */
const MAX_TOTAL_MS = 30 * 60_000;

/**
 * `closed`: the backend ended the stream, or answered 503. `broken`: the stream's connection broke. `unanswered`: the connection of the request
 * for the rest broke before an answer.
 */
export type StreamLoss = 'closed' | 'broken' | 'unanswered';

/** Immediate attempts in one call when the backend requested no delay: for a broken stream, and for a stale connection of the pool. */
const MAX_AT_ONCE = 2;

export class StreamResumption {
  readonly #backoff: Backoff;
  readonly #startedAt: number = performance.now();
  #lastEventId = '';
  #fruitless = 0;
  #atOnce = 0;
  #wasUnanswered = false;

  constructor(limits: ReconnectLimits) {
    this.#backoff = new Backoff(limits);
  }

  /** The id of the last event in any of the call's streams; the gateway requests the events after it. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /**
   * How long to wait before the next attempt, in milliseconds; undefined when the call gives up. A connection that breaks before the answer may
   * have been a stale one of the pool; two in a row mean that the backend is gone.
   * @param loss how the former stream or attempt ended
   * @param lastEventId id of the last event of the lost stream; empty when it has none
   * @param retryMs the time that the backend requested
   */
  next(loss: StreamLoss, lastEventId: string, retryMs: number | undefined): number | undefined {
    const isGone = loss === 'unanswered' && this.#wasUnanswered;
    this.#wasUnanswered = loss === 'unanswered';
    if (isGone) return undefined;
    if (lastEventId !== '' && lastEventId !== this.#lastEventId) {
      this.#fruitless = 0;
      this.#lastEventId = lastEventId;
      this.#backoff.reset();
    }
    if (retryMs !== undefined) this.#backoff.setFirst(retryMs);
    if (!canBeHeader(this.#lastEventId) || performance.now() - this.#startedAt > MAX_TOTAL_MS) return undefined;
    if (this.#fruitless++ >= MAX_FRUITLESS) return undefined;
    const mayBeAtOnce = loss !== 'closed' && retryMs === undefined && this.#atOnce < MAX_AT_ONCE;
    if (!mayBeAtOnce) return this.#backoff.next();
    this.#atOnce++;
    return 0;
  }
}

/** Whether an event's id is valid in `Last-Event-ID`; not every id is. */
export function canBeHeader(eventId: string): boolean {
  return /^[\x20-\x7e]+$/.test(eventId);
}
