import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { authServerOf } from './auth-servers.ts';

/** A name or an IPv4 address, or an IPv6 address in brackets, and a port behind it. */
const HOST_AND_PORT = /^(?:[^\s:/[\]@]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/;

const MAX_PORT = 65_535;

/** Where Redis and its sentinels listen is `host:port`: no client of Redis guesses a port. */
export function redisAddresses(resource: Resource): Diagnostic[] {
  const place = authServerOf(resource);
  const redis = place?.server.storage?.redis;
  if (place === undefined || redis === undefined) return [];
  const path = [...place.path, 'storage', 'redis'];
  const sentinels = redis.sentinelConfig?.sentinelAddrs ?? [];
  return [
    ...(redis.addr === undefined ? [] : check(resource, redis.addr, [...path, 'addr'])),
    ...sentinels.flatMap((address, index) =>
      check(resource, address, [...path, 'sentinelConfig', 'sentinelAddrs', index]),
    ),
  ];
}

function check(resource: Resource, address: string, path: Path): Diagnostic[] {
  const port = Number(HOST_AND_PORT.exec(address)?.[1] ?? 0);
  if (port > 0 && port <= MAX_PORT) return [];
  return [diagnose(resource.document, 'LNT1012', path, 'expected host:port, such as "redis.example.com:6379"')];
}
