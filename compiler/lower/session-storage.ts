import type { GatewayConfig, RedisPlan, SessionStoragePlan, VirtualMCPServerSpec } from '#schemas';
import type { Tracked } from '../resolve/tracked.ts';
import { findSessionStorage, lowerRedis } from './redis-plan.ts';

/** What opens a session, or looks one up, waits for the last two together at most. */
const TIMEOUTS: RedisPlan['timeouts'] = { dialMs: 5_000, readMs: 3_000, writeMs: 3_000 };

/**
 * Undefined where each replica keeps its sessions in memory.
 *
 * @param namespace that of the gateway
 */
export function lowerSessionStorage(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
  namespace: string,
): SessionStoragePlan | undefined {
  if (spec.peek('sessionStorage') !== undefined)
    config?.ignore('sessionStorage', 'spec.sessionStorage takes precedence');
  const storage = findSessionStorage(spec, config);
  if (storage === undefined) return undefined;
  if (storage.get('provider') !== 'redis') {
    storage.ignoreRest('sessions are kept in memory');
    return undefined;
  }
  return { redis: lowerRedis(storage, namespace, TIMEOUTS), keyPrefix: storage.get('keyPrefix') ?? '' };
}
