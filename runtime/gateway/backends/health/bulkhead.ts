/**
 * Bounds what one backend leaves unanswered, so that one that hangs takes no memory from others, and no room among the requests that the
 * gateway runs at a time (`mcp/stateless/endpoint.ts`). Shared by all sessions with a backend.
 */

import { type ConcurrencyLimiter, MAX_PARKED } from '../../../http/concurrency-limiter.ts';
import { MAX_LARGE_TEXTS } from '../../../http/in-flight-budget.ts';
import { BackendError } from '../backend.ts';

/** Limit on the requests of callers to one backend without an answer yet: those under way, those that wait for a turn, for a client, for a task. */
export const MAX_OPEN_CALLS = 2_000;

/**
 * The most of them that one client session may have: half of what may run in a session (`mcp/running-requests.ts`), so that it can still
 * call other backends.
 */
export const MAX_OPEN_OF_SESSION = 256;

/** As `/status` shows it. */
export interface CallsStatus {
  /** Requests of callers without an answer yet; the other counts are parts of it. */
  readonly open: number;
  /** Sent, with a turn. */
  readonly running: number;
  /** For a turn. */
  readonly waiting: number;
  /** Sent, without a turn: they wait for a client, or for the end of a task. */
  readonly parked: number;
  /** Characters of the large texts that are kept until they are answered. */
  readonly largeTexts: number;
  /** Since the connection to the backend was made: those that were let in. */
  readonly sent: number;
  /** Since then: those that were answered at once because a limit was reached. */
  readonly refused: number;
  readonly ceilings: {
    readonly open: number;
    readonly openOfSession: number;
    readonly running: number;
    readonly parked: number;
    readonly largeTexts: number;
  };
}

export class Bulkhead {
  readonly #client: { readonly turns: ConcurrencyLimiter; readonly texts: { readonly total: number } };
  #open = 0;
  #sent = 0;
  #refused = 0;
  #onIdle: (() => void) | undefined;

  /** @param client through which the requests are sent */
  constructor(client: { readonly turns: ConcurrencyLimiter; readonly texts: { readonly total: number } }) {
    this.#client = client;
  }

  /** Whether there is room for one more request; what has entered has to leave, once. */
  enter(): boolean {
    if (this.#open >= MAX_OPEN_CALLS) {
      this.#refused++;
      return false;
    }
    this.#open++;
    this.#sent++;
    return true;
  }

  leave(): void {
    this.#open--;
    if (this.#open === 0) this.#onIdle?.();
  }

  /** Resolves when no request of a caller is under way. */
  async idle(): Promise<void> {
    if (this.#open === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    await promise;
  }

  /** One was not sent: its session has as many as it may. */
  refuse(): void {
    this.#refused++;
  }

  get status(): CallsStatus {
    const { turns, texts } = this.#client;
    return {
      open: this.#open,
      running: turns.taken,
      waiting: turns.waiting,
      parked: turns.parked,
      largeTexts: texts.total,
      sent: this.#sent,
      refused: this.#refused,
      ceilings: {
        open: MAX_OPEN_CALLS,
        openOfSession: MAX_OPEN_OF_SESSION,
        running: turns.most,
        parked: MAX_PARKED,
        largeTexts: MAX_LARGE_TEXTS,
      },
    };
  }
}

/** The request was not sent: the backend owes answers to as many as may wait for it. */
export function tooManyOpen(backend: string): BackendError {
  return new BackendError(
    backend,
    'busy',
    `${MAX_OPEN_CALLS} requests wait for its answers, which is the limit for one backend; this one was not sent`,
  );
}

/** The request was not sent: the same, of one session. */
export function tooManyOpenOfSession(backend: string): BackendError {
  return new BackendError(
    backend,
    'busy',
    `${MAX_OPEN_OF_SESSION} requests of this session wait for its answers, which is the limit for one session; this one was not sent`,
  );
}
