/** Who may use a connection, until that can serve again or is gone. Those that wait for something else than the server do not count. */

/** Requests that wait for something else than the server, each with a connection: a person that is asked, a task that runs. */
export const MAX_PARKED = 1_000;

/** Without one, waiting for one, having one, or having one that does not count for now. */
export type TurnState = 'none' | 'waiting' | 'taken' | 'parked';

/** Something that is sent when it is its turn. */
export interface LimitedRequest {
  /** The turns' own. */
  turn: TurnState;
  /** It is its turn. Only called when it had to wait. */
  go(): void;
}

export class ConcurrencyLimiter {
  /** How many may have one at a time. */
  readonly most: number;
  #taken = 0;
  #parked = 0;
  readonly #waiting = new Set<LimitedRequest>();

  constructor(most: number) {
    this.most = most;
  }

  /** How many have one. */
  get taken(): number {
    return this.#taken;
  }

  /** How many have one that does not count for now. */
  get parked(): number {
    return this.#parked;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether it is its turn; if not, `go` is called when it is. A request that has one already keeps it. */
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

  /** Its turn is over, or it waits for none any more. */
  end(taker: LimitedRequest): void {
    const { turn } = taker;
    if (turn === 'none') return;
    taker.turn = 'none';
    if (turn === 'taken') this.#taken--;
    else if (turn === 'parked') this.#parked--;
    else this.#waiting.delete(taker);
    if (this.#waiting.size > 0) this.#nextSoon();
  }

  /** It waits for something else than the server: another may go. False when too many do, and it holds others up. */
  park(taker: LimitedRequest): boolean {
    if (taker.turn === 'parked') return true;
    if (taker.turn !== 'taken' || this.#parked >= MAX_PARKED) return false;
    taker.turn = 'parked';
    this.#parked++;
    this.#taken--;
    if (this.#waiting.size > 0) this.#nextSoon();
    return true;
  }

  /** The server is to do something for it: it counts again, and goes on at once however many others there are. */
  unpark(taker: LimitedRequest): void {
    if (taker.turn !== 'parked') return;
    taker.turn = 'taken';
    this.#parked--;
    this.#taken++;
  }

  /**
   * One for each that has ended. The HTTP library uses a connection again a turn of the event loop after its response: a request that
   * came before that would open another.
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
      taker.go();
      return;
    }
  };
}
