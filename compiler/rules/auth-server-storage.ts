import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { type AuthServer, authServerOf } from './auth-servers.ts';

type Redis = NonNullable<NonNullable<AuthServer['storage']>['redis']>;

/** Storage in Redis says how to reach it, in one way. */
export function authServerStorage(resource: Resource): Diagnostic[] {
  const place = authServerOf(resource);
  const storage = place?.server.storage;
  if (place === undefined || storage === undefined) return [];
  const path = [...place.path, 'storage', 'redis'];
  const { type, redis } = storage;
  if (type !== 'redis') {
    if (redis === undefined) return [];
    const message = `redis has no effect: storage.type is ${type ?? 'memory'}`;
    return [diagnose(resource.document, 'LNT1008', path, message, { at: 'key' })];
  }
  if (redis === undefined) {
    return [diagnose(resource.document, 'LNT1010', path, 'storage of type redis needs the block "redis"')];
  }
  return sentinel(resource, redis, path);
}

function sentinel(resource: Resource, { sentinelConfig, sentinelTls }: Redis, path: Path): Diagnostic[] {
  if (sentinelConfig === undefined) {
    if (sentinelTls === undefined) return [];
    const message = 'sentinelTls has no effect without sentinelConfig';
    return [diagnose(resource.document, 'LNT1008', [...path, 'sentinelTls'], message, { at: 'key' })];
  }
  const at = [...path, 'sentinelConfig'];
  const hasAddresses = (sentinelConfig.sentinelAddrs ?? []).length > 0;
  const hasService = sentinelConfig.sentinelService !== undefined;
  if (hasAddresses && hasService) {
    const message = 'sentinelAddrs and sentinelService exclude each other';
    return [diagnose(resource.document, 'LNT1021', [...at, 'sentinelService'], message, { at: 'key' })];
  }
  if (hasAddresses || hasService) return [];
  return [diagnose(resource.document, 'LNT1010', at, 'sentinelConfig needs sentinelAddrs or sentinelService')];
}
