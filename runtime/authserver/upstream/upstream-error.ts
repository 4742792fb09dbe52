/**
 * `denied`: the person or the upstream refused. `refused`: the upstream refuses the request, so repeating it is useless. `unavailable`: the
 * upstream does not respond, or its response is invalid.
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
