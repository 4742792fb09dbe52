/** Classifies the end of a request for the circuit breaker. */
import type { BackendError, BackendFailure } from '../../../mcp/backend-error.ts';
import type { AttemptOutcome } from './circuit-breaker.ts';

/** Failures that mean that the backend did not answer, or not in the way of an MCP server. */
const OF_BACKEND: ReadonlySet<BackendFailure> = new Set(['connection_failed', 'timeout']);

/** Classifies an answer with an HTTP status other than 200, or without one. */
export function classifyStatus(httpStatus: number | undefined): AttemptOutcome {
  return httpStatus !== undefined && httpStatus >= 500 ? 'failure' : 'success';
}

/**
 * Classifies a request without a complete answer. A status below 500 is an answer: a backend that refuses a caller or has forgotten a session is
 * up. A request that never left the gateway, for example one without a credential, says nothing.
 */
export function classifyFailure({ reason, httpStatus }: Pick<BackendError, 'reason' | 'httpStatus'>): AttemptOutcome {
  if (httpStatus !== undefined) return classifyStatus(httpStatus);
  return OF_BACKEND.has(reason) ? 'failure' : 'neither';
}
