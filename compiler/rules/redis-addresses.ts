import type { VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { findAuthServer } from './support/auth-servers.ts';

/** A name or IPv4 address, or an IPv6 address in brackets, followed by a port. */
const HOST_AND_PORT = /^(?:[^\s:/[\]@]+|\[[0-9A-Fa-f:.]+\]):(\d{1,5})$/;

const MAX_PORT = 65_535;

/** Kinds that store sessions of MCP clients. */
const SESSION_KINDS = ['VirtualMCPServer', 'MCPServer', 'MCPRemoteProxy'];

/**
 * Addresses of Redis and its sentinels must be `host:port`: no Redis client guesses a port.
 *
 * @holds VirtualMCPServer | `sessionStorage`, `config.sessionStorage` | `address` and each of `sentinelAddrs` are `host:port`; `keyPrefix`
 *   ends with `:` | LNT1012
 * @holds VirtualMCPServer | `…sentinelConfig` | `sentinelAddrs` or `sentinelService`; database and port in range, names not empty | LNT1013
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `storage.redis.addr`, `…sentinelAddrs` | `host:port` | LNT1012
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `storage.redis.sentinelConfig` | database and port in range,
 *   names not empty | LNT1013 | `unservable/`
 */
export function redisAddresses(resource: Resource): Diagnostic[] {
  return [...checkAuthServerAddresses(resource), ...checkSessionAddresses(resource)];
}

function checkAuthServerAddresses(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  const redis = location?.server.storage?.redis;
  if (location === undefined || redis === undefined) return [];
  const path = [...location.path, 'storage', 'redis'];
  return [
    ...(redis.addr === undefined ? [] : check(resource, redis.addr, [...path, 'addr'])),
    ...checkSentinelAddresses(resource, redis.sentinelConfig, [...path, 'sentinelConfig']),
  ];
}

type Sentinels = NonNullable<NonNullable<VirtualMCPServerSpec['sessionStorage']>['sentinelConfig']>;

function checkSentinelAddresses(resource: Resource, sentinels: Sentinels | undefined, path: Path): Diagnostic[] {
  const addresses = sentinels?.sentinelAddrs ?? [];
  return [
    ...addresses.flatMap((address, index) => check(resource, address, [...path, 'sentinelAddrs', index])),
    ...checkSentinelBounds(resource, sentinels, path),
  ];
}

/** Database numbers start at 0, ports at 1, and the primary and the sentinels' Service need names. */
function checkSentinelBounds(resource: Resource, sentinels: Sentinels | undefined, path: Path): Diagnostic[] {
  if (sentinels === undefined) return [];
  const { db = 0, masterName, sentinelService } = sentinels;
  const report = (at: readonly string[], message: string, help: string) =>
    diagnose(resource.document, 'LNT1013', [...path, ...at], message, { help });
  const found: Diagnostic[] = [];
  if (db < 0)
    found.push(
      report(['db'], `expected the number of a database, 0 or more, found ${db}`, 'Write 0 or more, such as 0'),
    );
  if (masterName === '')
    found.push(report(['masterName'], 'the name of the primary is empty', 'Write its name, such as "mymaster"'));
  if (sentinelService === undefined) return found;
  const { name, port = 1 } = sentinelService;
  if (name === '')
    found.push(
      report(
        ['sentinelService', 'name'],
        'the name of the Service is empty',
        'Write its name, such as "redis-sentinel"',
      ),
    );
  if (port < 1 || port > MAX_PORT) {
    const form = `a port from 1 to ${MAX_PORT}`;
    found.push(report(['sentinelService', 'port'], `expected ${form}, found ${port}`, `Write ${form}, such as 26379`));
  }
  return found;
}

function checkSessionAddresses(resource: Resource): Diagnostic[] {
  if (!SESSION_KINDS.includes(resource.kind)) return [];
  const { sessionStorage, config } = resource.spec as VirtualMCPServerSpec;
  return [
    ...checkSessionStore(resource, sessionStorage, ['spec', 'sessionStorage']),
    // An overruled setting has no effect, but is not wrong.
    ...(sessionStorage === undefined
      ? checkSessionStore(resource, config?.sessionStorage, ['spec', 'config', 'sessionStorage'])
      : []),
  ];
}

function checkSessionStore(
  resource: Resource,
  store: VirtualMCPServerSpec['sessionStorage'] | NonNullable<VirtualMCPServerSpec['config']>['sessionStorage'],
  path: Path,
): Diagnostic[] {
  if (store?.provider !== 'redis') return [];
  const { address = '', keyPrefix = '', sentinelConfig } = store;
  const prefix = keyPrefix === '' || keyPrefix.endsWith(':');
  return [
    // Another rule reports a missing address.
    ...(address === '' ? [] : check(resource, address, [...path, 'address'])),
    ...checkSentinelAddresses(resource, sentinelConfig, [...path, 'sentinelConfig']),
    // The session id follows the prefix directly: prefixes `a` and `ab` would collide.
    ...(prefix
      ? []
      : [
          diagnose(
            resource.document,
            'LNT1012',
            [...path, 'keyPrefix'],
            'keyPrefix must end with ":", such as "lintel:"',
            { help: 'Write a prefix that ends with ":", such as "lintel:"' },
          ),
        ]),
  ];
}

function check(resource: Resource, address: string, path: Path): Diagnostic[] {
  const port = Number(HOST_AND_PORT.exec(address)?.[1] ?? 0);
  if (port > 0 && port <= MAX_PORT) return [];
  const form = 'host:port, such as "redis.example.com:6379"';
  return [diagnose(resource.document, 'LNT1012', path, `expected ${form}`, { help: `Write ${form}` })];
}
