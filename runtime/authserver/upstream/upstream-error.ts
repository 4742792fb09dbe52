/**
 * `denied`: the person or the upstream refused. `refused`: the upstream does not accept the request, so another attempt with the same is in
 * vain. `unavailable`: the upstream does not answer now, or its answer cannot be understood.
 */
export type UpstreamFailure = 'denied' | 'refused' | 'unavailable';

/** The message names the upstream and the cause; never a code, token or secret. */
export class UpstreamError extends Error {
  readonly reason: UpstreamFailure;

  constructor(reason: UpstreamFailure, upstream: string, cause: string) {
    super(`upstream "${upstream}": ${cause}`);
    this.name = 'UpstreamError';
    this.reason = reason;
  }
}
