import type { BackendSession } from './backend.ts';
import { requestResult } from './collect.ts';

/** Pings to find out whether the backend still knows a session: one ping for all requests that doubt it at a time. */
export class SessionPing {
  readonly #session: BackendSession;
  readonly #signal: AbortSignal;
  #underWay: Promise<unknown> | undefined;

  constructor(session: BackendSession, signal: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
  }

  /** Resolves when the backend has answered or refused the ping; the session then knows whether it is still open. */
  async answered(): Promise<void> {
    this.#underWay ??= requestResult(this.#session, 'ping', {}, { signal: this.#signal })
      .catch(() => {})
      .finally(() => {
        this.#underWay = undefined;
      });
    await this.#underWay;
  }
}
