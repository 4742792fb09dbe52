import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { redisSentinels } from './support/redis-sentinels.ts';

/**
 * Storage in Redis must have exactly one way to reach the server.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `storage.redis` | required by type `redis`; no effect otherwise
 *   | LNT1010, LNT1008
 */
export function authServerStorage(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  const storage = location?.server.storage;
  if (location === undefined || storage === undefined) return [];
  const path = [...location.path, 'storage', 'redis'];
  const { type, redis } = storage;
  if (type !== 'redis') {
    if (redis === undefined) return [];
    const message = `redis has no effect: storage.type is ${type ?? 'memory'}`;
    return [diagnose(resource.document, 'LNT1008', path, message, { at: 'key' })];
  }
  if (redis === undefined) {
    return [diagnose(resource.document, 'LNT1010', path, 'storage of type redis needs the block "redis"')];
  }
  return redisSentinels(resource, redis, path);
}
