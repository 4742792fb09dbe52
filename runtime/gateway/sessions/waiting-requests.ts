import { idKey } from '../../mcp/envelope.ts';
import type { ClientResponder } from '../../mcp/handler.ts';

/** Requests of a client that no backend has yet. The client can take them back meanwhile. */
export class WaitingRequests {
  /** By the keys of their ids. */
  readonly #answers = new Map<string, ClientResponder>();

  /** Waits for something on behalf of a request. */
  async waitFor<T>(id: string, answer: ClientResponder, awaited: Promise<T>): Promise<T> {
    const key = idKey(id);
    this.#answers.set(key, answer);
    try {
      return await awaited;
    } finally {
      // The id may have been given up and used again.
      if (this.#answers.get(key) === answer) this.#answers.delete(key);
    }
  }

  /** The client takes a request back: that aborts its answer. False when none with this id waits. */
  cancel(id: string): boolean {
    const answer = this.#answers.get(idKey(id));
    answer?.cancel();
    return answer !== undefined;
  }
}
