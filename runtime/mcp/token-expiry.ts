import type { Identity } from '../auth/identity.ts';

/** Timers beyond it fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * The end of what a token opened and keeps open, such as a stream: a caller must not listen on longer than a request of
 * theirs would be taken. Without a token there is no end.
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

  /** The same caller has come with another token: the one that lasts longest counts. */
  renew(identity: Identity): void {
    this.#expiresAt = Math.max(this.#expiresAt, getExpiry(identity));
  }

  /** What was open has closed for another reason. */
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
