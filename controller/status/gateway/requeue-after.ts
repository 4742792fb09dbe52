/** When to query the pods of a gateway or registry server again: they report nothing by themselves. */
import type { MCPRegistryStatus, MCPRemoteProxyStatus, MCPServerStatus, VirtualMCPServerStatus } from '#schemas';
import { findCondition } from '../conditions.ts';

/** Pods are on their way; milliseconds. */
const ROLLOUT_MS = 2_000;

/** Nothing is expected; milliseconds. A change of health is written then; details only every reporting interval. */
const CALM_MS = 10_000;

/** @param reportingIntervalMs - how often the gateway wants details reported; 0 when it did not say */
export function requeueAfterMs(
  status: VirtualMCPServerStatus | MCPRegistryStatus | MCPServerStatus | MCPRemoteProxyStatus,
  reportingIntervalMs: number,
): number {
  const isActive = findCondition(status.conditions ?? [], 'BundleActive')?.status === 'True';
  if (!isActive || status.phase === 'Pending') return ROLLOUT_MS;
  return reportingIntervalMs > 0 ? Math.min(reportingIntervalMs, CALM_MS) : CALM_MS;
}
