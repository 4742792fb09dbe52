/** Errors of a forge, classified by how to handle them. */

/**
 * - `unauthorized`: unknown token (401) - `forbidden`: the token lacks permission (403) - `notFound`: unknown repository or commit, or invisible
 * to the token (404) - `rateLimited`: retry when the forge says (403 or 429) - `invalid`: the same call always fails (other 4xx, redirects) -
 * `unavailable`: retry later (5xx, timeouts, no connection) - `unexpected`: a response outside of the API
 */
export type ForgeFailure =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'rateLimited'
  | 'invalid'
  | 'unavailable'
  | 'unexpected';

/** The message is complete, for people, and contains no token. */
export class ForgeError extends Error {
  readonly code = 'ERR_FORGE';
  readonly failure: ForgeFailure;
  /** Status code; 0 without a response. */
  readonly status: number;
  /** The forge's own text: for distinguishing refusals, never for display. */
  readonly detail: string;
  /** Minimum wait; only for `rateLimited`, and for an unavailable server that states it. */
  readonly retryAfterMs: number | undefined;

  constructor(
    failure: ForgeFailure,
    message: string,
    options: {
      readonly status?: number;
      readonly detail?: string;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ForgeError';
    this.failure = failure;
    this.status = options.status ?? 0;
    this.detail = options.detail ?? '';
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Whether the same call fails again until a person changes a token, a setting or the repository. */
  get isLasting(): boolean {
    return this.failure !== 'rateLimited' && this.failure !== 'unavailable';
  }
}
