import { formatIdKey } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';

/** A client's requests that have not been sent to a backend yet. The client can cancel them meanwhile. */
export class WaitingRequests {
  /** Responders of the requests, by the key of the request id. */
  readonly #answers = new Map<string, ClientResponder>();

  /** Waits on behalf of a request, which the client can cancel meanwhile. */
  async waitFor<T>(id: string, answer: ClientResponder, awaited: Promise<T>): Promise<T> {
    const key = formatIdKey(id);
    this.#answers.set(key, answer);
    try {
      return await awaited;
    } finally {
      // The client may have cancelled the request and used its id again.
      if (this.#answers.get(key) === answer) this.#answers.delete(key);
    }
  }

  /** The client cancels a request, which aborts its answer. Returns false when no request with this id waits. */
  cancel(id: string): boolean {
    const answer = this.#answers.get(formatIdKey(id));
    answer?.cancel();
    return answer !== undefined;
  }
}
