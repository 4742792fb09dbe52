/** Computes a backend's health from probes and from the circuit breaker. */
import type { BackendError, BackendFailure } from '../../../mcp/backend-error.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** A `ready` or `degraded` backend serves requests; an `unknown` backend has never answered. */
export type BackendStatus = 'ready' | 'degraded' | 'unavailable' | 'unauthenticated' | 'unknown';

export interface BackendHealth {
  readonly status: BackendStatus;
  /** Why the last probe failed; empty after a success. */
  readonly message: string;
  readonly reason: BackendFailure | null;
  /** ISO 8601, or null before the first probe ended. */
  readonly lastCheck: string | null;
  readonly consecutiveFailures: number;
  /** The MCP revision of the backend's answer, or null. */
  readonly mcpRevision: string | null;
}

/** The result of a probe, or of a request that counts as one. */
export type CheckedHealth = Omit<BackendHealth, 'lastCheck'>;

export const NOT_CHECKED: BackendHealth = {
  status: 'unknown',
  message: 'not checked yet',
  reason: null,
  lastCheck: null,
  consecutiveFailures: 0,
  mcpRevision: null,
};

/** A probe slower than this marks the backend as degraded; milliseconds. */
const SLOW_PROBE_MS = 5_000;

const RECOVERED = 'it answers again; the next successful check makes it ready';

/** The health after an answered probe. */
export function recordSuccess(before: BackendHealth, mcpRevision: string, tookMs: number): CheckedHealth {
  const recovering = before.status === 'unavailable' || before.status === 'unauthenticated';
  const status = tookMs > SLOW_PROBE_MS || recovering ? 'degraded' : 'ready';
  const slow = recovering ? RECOVERED : `answered in ${Math.round(tookMs)} ms`;
  const message = status === 'ready' ? '' : slow;
  return { status, message, reason: null, consecutiveFailures: 0, mcpRevision };
}

/**
 * The health after a failed probe. Until the threshold the last known state remains: one lost probe must not make tools vanish.
 * @param isReachable as `isReachable` returns it
 */
export function recordFailure(
  before: BackendHealth,
  { message, reason }: BackendError,
  unhealthyThreshold: number,
  isReachable: boolean,
): CheckedHealth {
  const consecutiveFailures = isReachable ? 0 : before.consecutiveFailures + 1;
  const counted = consecutiveFailures >= unhealthyThreshold ? 'unavailable' : before.status;
  const status = reason === 'unauthenticated' ? 'unauthenticated' : counted;
  return { status, message, reason, consecutiveFailures, mcpRevision: before.mcpRevision };
}

/**
 * Whether the backend has answered with a refusal of the gateway. When each caller has a credential of its own, the refusal proves that the
 * backend is up.
 */
export function isReachable({ reason, httpStatus }: BackendError, isPerCaller: boolean): boolean {
  return isPerCaller && reason === 'unauthenticated' && httpStatus !== undefined;
}

/** The health after the circuit breaker has closed: a call found the backend available before a probe did. */
export function recordRecovery(before: BackendHealth): CheckedHealth {
  return { ...before, status: 'degraded', message: RECOVERED, reason: null, consecutiveFailures: 0 };
}

/**
 * The health that callers see: while the circuit breaker is not closed, the gateway sends no request to the backend, even after a successful probe.
 */
export function mergeCircuitHealth(circuit: CircuitBreaker | undefined, probed: BackendHealth): BackendHealth {
  if (circuit === undefined || circuit.state === 'closed') return probed;
  const { consecutiveFailures, lastCheck, mcpRevision, reason } = probed;
  const message = `the circuit is ${circuit.state} after consecutive failures; the last failure: ${circuit.lastFailure}`;
  return { status: 'unavailable', message, reason, lastCheck, consecutiveFailures, mcpRevision };
}
