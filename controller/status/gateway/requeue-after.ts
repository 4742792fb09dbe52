/** When to query a workload's pods again, because pods do not report by themselves. */
import type { MCPRegistryStatus, MCPRemoteProxyStatus, MCPServerStatus, VirtualMCPServerStatus } from '#schemas';
import { findCondition } from '../conditions.ts';

/** Interval during a rollout; milliseconds. */
const ROLLOUT_MS = 2_000;

/** Interval in all other cases; milliseconds. Changes of health are then written immediately, details only every reporting interval. */
const CALM_MS = 10_000;

/**
 * Milliseconds until the pods of a workload are queried again.
 * @param reportingIntervalMs - the gateway's interval for details; 0 for none
 */
export function requeueAfterMs(
  status: VirtualMCPServerStatus | MCPRegistryStatus | MCPServerStatus | MCPRemoteProxyStatus,
  reportingIntervalMs: number,
): number {
  const isActive = findCondition(status.conditions ?? [], 'BundleActive')?.status === 'True';
  if (!isActive || status.phase === 'Pending') return ROLLOUT_MS;
  return reportingIntervalMs > 0 ? Math.min(reportingIntervalMs, CALM_MS) : CALM_MS;
}
