import type { BackendSession } from './backend.ts';
import { requestResult } from './collect.ts';

/** Finds out by a ping whether the backend still knows a session: one ping for all that doubt it at a time. */
export class SessionPing {
  readonly #session: BackendSession;
  readonly #signal: AbortSignal;
  #underWay: Promise<unknown> | undefined;

  constructor(session: BackendSession, signal: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /** Resolves when the ping has been answered, or refused: then the session has noticed. */
  async answered(): Promise<void> {
    this.#underWay ??= requestResult(this.#session, 'ping', {}, { signal: this.#signal })
      .catch(() => {})
      .finally(() => {
        this.#underWay = undefined;
      });
    await this.#underWay;
  }
}
