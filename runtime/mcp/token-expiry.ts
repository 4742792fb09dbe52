import type { Identity } from '../auth/identity.ts';

/** Node fires longer timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The expiry of the token with which a caller opened a stream: the stream must not outlive the time in which the caller's requests would be
 * accepted. Without a token there is no expiry.
 */
export class TokenExpiry {
  readonly #onExpired: () => void;
  #expiresAt: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(identity: Identity, onExpired: () => void) {
    this.#onExpired = onExpired;
    this.#expiresAt = getExpiry(identity);
    this.#wait();
  }

  /** The same caller has sent another token: the one with the latest expiry decides. */
  renew(identity: Identity): void {
    this.#expiresAt = Math.max(this.#expiresAt, getExpiry(identity));
  }

  /** The stream was closed for another reason. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#expiresAt === Number.POSITIVE_INFINITY) return;
    const leftMs = this.#expiresAt - Date.now();
    if (leftMs <= 0) this.#onExpired();
    else this.#timer = setTimeout(() => this.#wait(), Math.min(leftMs, LONGEST_TIMER_MS)).unref();
  }
}

function getExpiry({ caller }: Identity): number {
  return caller?.expiresAt ?? Number.POSITIVE_INFINITY;
}
