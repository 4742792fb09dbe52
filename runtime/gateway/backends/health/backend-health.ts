/** How a backend is, and what a probe or the circuit makes of that. */
import type { BackendError, BackendFailure } from '../backend.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** `ready` and `degraded` serve; `unknown` has never answered. */
export type BackendStatus = 'ready' | 'degraded' | 'unavailable' | 'unauthenticated' | 'unknown';

export interface BackendHealth {
  readonly status: BackendStatus;
  /** Why the last probe failed; empty after a success. */
  readonly message: string;
  readonly reason: BackendFailure | null;
  /** ISO 8601, or null before the first probe ended. */
  readonly lastCheck: string | null;
  readonly consecutiveFailures: number;
  /** The MCP revision that the backend answered with, or null. */
  readonly mcpRevision: string | null;
}

/** What a probe, or something that counts as one, has found. */
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

const RECOVERED = 'recovered; one more check confirms it';

/** After a probe that was answered. */
export function healthAfterSuccess(before: BackendHealth, mcpRevision: string, tookMs: number): CheckedHealth {
  const recovering = before.status === 'unavailable' || before.status === 'unauthenticated';
  const status = tookMs > SLOW_PROBE_MS || recovering ? 'degraded' : 'ready';
  const slow = recovering ? RECOVERED : `answered in ${Math.round(tookMs)} ms`;
  const message = status === 'ready' ? '' : slow;
  return { status, message, reason: null, consecutiveFailures: 0, mcpRevision };
}

/**
 * After a probe that failed. Until the threshold the last known state holds: one lost probe must not make tools vanish.
 *
 * @param isThere as `isThere` says
 */
export function healthAfterFailure(
  before: BackendHealth,
  { message, reason }: BackendError,
  unhealthyThreshold: number,
  isThere: boolean,
): CheckedHealth {
  const consecutiveFailures = isThere ? 0 : before.consecutiveFailures + 1;
  const counted = consecutiveFailures >= unhealthyThreshold ? 'unavailable' : before.status;
  const status = reason === 'unauthenticated' ? 'unauthenticated' : counted;
  return { status, message, reason, consecutiveFailures, mcpRevision: before.mcpRevision };
}

/** The backend has answered that it refuses us. Where each caller has a credential of its own, that means that it is there. */
export function isThere({ reason, httpStatus }: BackendError, isPerCaller: boolean): boolean {
  return isPerCaller && reason === 'unauthenticated' && httpStatus !== undefined;
}

/** The circuit has closed: a call found that the backend is back before a probe did. */
export function healthAfterRecovery(before: BackendHealth): CheckedHealth {
  return { ...before, status: 'degraded', message: RECOVERED, reason: null, consecutiveFailures: 0 };
}

/** While the circuit is not closed, no request goes to a backend, whatever probes have found. */
export function healthBehind(circuit: CircuitBreaker | undefined, probed: BackendHealth): BackendHealth {
  if (circuit === undefined || circuit.state === 'closed') return probed;
  const { consecutiveFailures, lastCheck, mcpRevision, reason } = probed;
  const message = `the circuit is ${circuit.state} after failures in a row; the last: ${circuit.lastFailure}`;
  return { status: 'unavailable', message, reason, lastCheck, consecutiveFailures, mcpRevision };
}
