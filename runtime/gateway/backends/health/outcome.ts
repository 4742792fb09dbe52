/** What the end of a request says about its backend, for the circuit breaker. */
import type { BackendError, BackendFailure } from '../backend.ts';
import type { Outcome } from './circuit-breaker.ts';

/** The backend did not answer, or not as an MCP server does. */
const OF_BACKEND: ReadonlySet<BackendFailure> = new Set(['connection_failed', 'timeout']);

/** An answer with another HTTP status than 200, or without one. */
export function outcomeOfStatus(httpStatus: number | undefined): Outcome {
  return httpStatus !== undefined && httpStatus >= 500 ? 'failure' : 'success';
}

/**
 * No complete answer came. A status below 500 is an answer: a backend that refuses a caller, or has forgotten a session, is there. What
 * never left the gateway, such as a request without a credential, says nothing.
 */
export function outcomeOfFailure({ reason, httpStatus }: Pick<BackendError, 'reason' | 'httpStatus'>): Outcome {
  if (httpStatus !== undefined) return outcomeOfStatus(httpStatus);
  return OF_BACKEND.has(reason) ? 'failure' : 'neither';
}
