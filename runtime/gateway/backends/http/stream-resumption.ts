/**
 * How often, how long and how fast the lost stream of one call is looked for again. Backends may close it on purpose and
 * have us come back later.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import { Backoff, type ReconnectLimits } from '../backoff.ts';

/** Attempts one after another that bring no event. */
const MAX_FRUITLESS = 5;

/** From the first loss on; milliseconds. */
const MAX_TOTAL_MS = 30 * 60_000;

/**
 * `closed`: the backend ended the stream, or has no answer for the moment (503). `broken`: the connection of the stream broke.
 * `unanswered`: so did that of the request for the rest, before an answer.
 */
export type StreamLoss = 'closed' | 'broken' | 'unanswered';

/** Attempts at once in one call, where the backend did not say when: for a broken stream, and for a stale connection of the pool. */
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

  /** The last event of all streams so far; what follows it is asked for. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /**
   * How long to wait before the next attempt, in milliseconds; undefined when it is to be given up.
   *
   * A connection that breaks before the answer may have been a stale one of the pool; two in a row say that the backend is gone.
   *
   * @param loss what has ended the former stream, or the former attempt
   * @param lastEventId of the stream that was lost; empty when it gave none
   * @param retryMs what the backend asked for
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

/** Not every id of an event can stand in `Last-Event-ID`. */
export function canBeHeader(eventId: string): boolean {
  return /^[\x20-\x7e]+$/.test(eventId);
}
