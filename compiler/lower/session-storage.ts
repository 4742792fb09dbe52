import type { GatewayConfig, RedisPlan, SessionStoragePlan, VirtualMCPServerSpec } from '#schemas';
import type { Tracked } from '../resolve/tracked.ts';
import { findSessionStorage, lowerRedis } from './redis-plan.ts';

/** Opening or looking up a session waits at most as long as the last two timeouts together. */
const TIMEOUTS: RedisPlan['timeouts'] = { dialMs: 5_000, readMs: 3_000, writeMs: 3_000 };

/**
 * Undefined when each replica keeps its sessions in memory.
 * @param namespace of the gateway
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
