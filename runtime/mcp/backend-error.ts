/** Why a backend sent no response; `reason` has a fixed set of values for metrics and status. */
export type BackendFailure =
  | 'connection_failed'
  | 'timeout'
  /** The limit of concurrent calls is reached, and the call waited too long. */
  | 'busy'
  /** The circuit breaker refused it. */
  | 'circuit_open'
  | 'unauthenticated'
  /** The caller has to sign in again. */
  | 'login_required'
  | 'http_error'
  | 'protocol_error'
  | 'too_large'
  | 'address_refused'
  | 'aborted';

/** A failure in the communication with a backend. The message names the backend and the cause, never a credential or a URL query. */
export class BackendError extends Error {
  readonly reason: BackendFailure;
  readonly backend: string;
  readonly httpStatus: number | undefined;
  constructor(backend: string, reason: BackendFailure, message: string, httpStatus?: number) {
    super(`backend "${backend}": ${message}`);
    this.name = 'BackendError';
    this.reason = reason;
    this.backend = backend;
    this.httpStatus = httpStatus;
  }
}
