/** Refusals of a forge, by what to do about them. */

/**
 * - `unauthorized`: the token is not known (401)
 * - `forbidden`: it may not do that (403)
 * - `notFound`: no such repository or commit, or the token may not see it (404)
 * - `rateLimited`: later, when the forge says (403 or 429)
 * - `invalid`: the same call fails the same way (other 4xx, redirects)
 * - `unavailable`: later (5xx, timeouts, no connection)
 * - `unexpected`: an answer that the API does not have
 */
export type ForgeFailure =
  | 'unauthorized'
  | 'forbidden'
  | 'notFound'
  | 'rateLimited'
  | 'invalid'
  | 'unavailable'
  | 'unexpected';

/** The message is for people, complete, and has no token in it. */
export class ForgeError extends Error {
  readonly code = 'ERR_FORGE';
  readonly failure: ForgeFailure;
  /** Code of the answer; 0 without one. */
  readonly status: number;
  /** What the forge says about it: for telling refusals apart, never for showing. */
  readonly detail: string;
  /** How long to wait at least; only with `rateLimited`, and where a server that is unavailable says so. */
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
