import { formatIdKey } from './envelope.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/** Limit on the requests that run in one session at a time. */
export const MAX_RUNNING_REQUESTS = 512;

/** The unanswered requests of one session, by id. */
export class RunningRequests {
  /** An array, because a `Set` that becomes empty after each call costs 5 % of a call (adr/0023-tuning.md). */
  readonly #ids: string[] = [];
  readonly #onEnd: () => void;

  /** @param onEnd called whenever a request has ended */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#ids.length;
  }

  /**
   * Records a running request; the returned function records its end.
   * @throws WireError -32600 when a request with this id is running; with HTTP 429 at {@link MAX_RUNNING_REQUESTS}
   */
  begin(id: string): () => void {
    const key = formatIdKey(id);
    if (this.#ids.includes(key)) {
      throw new WireError(WIRE_CODE.invalidRequest, 'a request with this id is still running', { id });
    }
    if (this.#ids.length >= MAX_RUNNING_REQUESTS) {
      const text = `a session has at most ${MAX_RUNNING_REQUESTS} running requests`;
      throw new WireError(WIRE_CODE.refused, text, { httpStatus: 429, id });
    }
    this.#ids.push(key);
    return () => {
      const at = this.#ids.indexOf(key);
      if (at !== -1) this.#ids.splice(at, 1);
      this.#onEnd();
    };
  }
}
