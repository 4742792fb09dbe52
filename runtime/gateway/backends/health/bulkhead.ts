/**
 * Limits the unanswered requests of one backend, so that a hanging backend cannot use up the memory, or the gateway's limit of concurrent
 * requests (`mcp/stateless/endpoint.ts`), at the expense of other backends. All sessions with a backend share one bulkhead.
 */

import { type ConcurrencyLimiter, MAX_PARKED } from '../../../http/concurrency-limiter.ts';
import { MAX_LARGE_TEXTS } from '../../../http/in-flight-budget.ts';
import { BackendError } from '../../../mcp/backend-error.ts';

/** Limit on the unanswered requests of callers to one backend: the running ones, and those that wait for a turn, a client or a task. */
export const MAX_OPEN_CALLS = 2_000;

/**
 * How many of these requests one client session may have: half of the requests that may run in a session (`mcp/running-requests.ts`), so that the
 * session can still call other backends.
 */
export const MAX_OPEN_OF_SESSION = 256;

/** The counts that `/status` shows. */
export interface CallsStatus {
  /** Unanswered requests of callers; the other counts are parts of this one. */
  readonly open: number;
  /** Requests that were sent and count against the number that may run at a time. */
  readonly running: number;
  /** Requests that wait until fewer requests run. */
  readonly waiting: number;
  /** Requests that were sent and do not count as running: they wait for a client, or for the end of a task. */
  readonly parked: number;
  /** Total length of the large request texts that the gateway stores until their answers arrive, in characters. */
  readonly largeTexts: number;
  /** Accepted requests since the connection to the backend was created. */
  readonly sent: number;
  /** Requests that the gateway refused at once because of a limit, since the connection to the backend was created. */
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

  /** @param client the client that sends the requests */
  constructor(client: { readonly turns: ConcurrencyLimiter; readonly texts: { readonly total: number } }) {
    this.#client = client;
  }

  /** Whether one more request is within the limit. If so, the request counts from now on, until `leave` is called once. */
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

  /** Resolves when no request of a caller is running. */
  async idle(): Promise<void> {
    if (this.#open === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    await promise;
  }

  /** Counts a request that is refused because its session already has as many as it may. */
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

/** The failure of a request that the gateway did not send, because the backend has as many unanswered requests as it may. */
export function createTooManyOpen(backend: string): BackendError {
  return new BackendError(
    backend,
    'busy',
    `${MAX_OPEN_CALLS} requests wait for its answers, which is the limit for one backend; this one was not sent`,
  );
}

/** The failure of a request that the gateway did not send, because its session has as many unanswered requests to the backend as it may. */
export function createTooManyOpenOfSession(backend: string): BackendError {
  return new BackendError(
    backend,
    'busy',
    `${MAX_OPEN_OF_SESSION} requests of this session wait for its answers, which is the limit for one session; this one was not sent`,
  );
}
