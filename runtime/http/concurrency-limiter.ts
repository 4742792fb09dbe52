/**
 * Limits how many requests use a connection at the same time. Requests that wait for something other than the server's work, such as a person's
 * answer, do not count.
 */

/** Limit on requests that wait for a person's answer or for a task; each of them has a connection. */
export const MAX_PARKED = 1_000;

/** The states of a request: without a turn, waiting for a turn, with a turn, or with a turn that does not count for now. */
export type TurnState = 'none' | 'waiting' | 'taken' | 'parked';

/** A request that is sent at its turn. */
export interface LimitedRequest {
  /** Only `ConcurrencyLimiter` writes this member. */
  turn: TurnState;
  /** Called when the request gets its turn, unless `take` gave it the turn at once. */
  onTurn(): void;
}

export class ConcurrencyLimiter {
  /** Maximum number of turns at the same time, without those that do not count. */
  readonly most: number;
  #taken = 0;
  #parked = 0;
  readonly #waiting = new Set<LimitedRequest>();

  constructor(most: number) {
    this.most = most;
  }

  /** The number of requests with a turn. */
  get taken(): number {
    return this.#taken;
  }

  /** The number of requests with a turn that does not count for now. */
  get parked(): number {
    return this.#parked;
  }

  /** The number of waiting requests. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether the request has its turn; if not, `onTurn` is called when it gets its turn. A request that has a turn keeps it. */
  take(taker: LimitedRequest): boolean {
    if (taker.turn === 'taken' || taker.turn === 'parked') return true;
    if (this.#taken < this.most && this.#waiting.size === 0) {
      this.#taken++;
      taker.turn = 'taken';
      return true;
    }
    this.#waiting.add(taker);
    taker.turn = 'waiting';
    return false;
  }

  /** Ends the request's turn, or its wait for a turn. */
  end(taker: LimitedRequest): void {
    const { turn } = taker;
    if (turn === 'none') return;
    taker.turn = 'none';
    if (turn === 'taken') this.#taken--;
    else if (turn === 'parked') this.#parked--;
    else this.#waiting.delete(taker);
    if (this.#waiting.size > 0) this.#nextSoon();
  }

  /**
   * Marks the request as waiting for something other than the server's work, so that another request gets a turn. Returns false if too many
   * requests wait in this way: then the turn of this request continues to count.
   */
  park(taker: LimitedRequest): boolean {
    if (taker.turn === 'parked') return true;
    if (taker.turn !== 'taken' || this.#parked >= MAX_PARKED) return false;
    taker.turn = 'parked';
    this.#parked++;
    this.#taken--;
    if (this.#waiting.size > 0) this.#nextSoon();
    return true;
  }

  /** The server works for the request again: it counts again, and continues at once even if the limit is reached. */
  unpark(taker: LimitedRequest): void {
    if (taker.turn !== 'parked') return;
    taker.turn = 'taken';
    this.#parked--;
    this.#taken++;
  }

  /**
   * Gives turns to waiting requests, one for each request that has ended. This happens one turn of the event loop later, because only then can the
   * HTTP library reuse the connection of the ended request; before, it would open a new connection.
   */
  #nextSoon(): void {
    queueMicrotask(this.#afterThis);
  }

  readonly #afterThis = (): void => {
    setImmediate(this.#next);
  };

  readonly #next = (): void => {
    if (this.#taken >= this.most) return;
    for (const taker of this.#waiting) {
      this.#waiting.delete(taker);
      this.#taken++;
      taker.turn = 'taken';
      taker.onTurn();
      return;
    }
  };
}
