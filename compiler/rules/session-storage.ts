import type { MCPServerSpec, VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { redisSentinels } from './support/redis-sentinels.ts';

/** The members that all kinds with sessions have in common. */
type Sessions = Pick<MCPServerSpec, 'transport' | 'replicas' | 'sessionStorage'>;

type Storage = NonNullable<MCPServerSpec['sessionStorage']>;

const WRITTEN: Path = ['spec', 'sessionStorage'];
const IN_CONFIG: Path = ['spec', 'config', 'sessionStorage'];

/**
 * Sessions in Redis need its address, and several replicas need shared sessions.
 *
 * @holds VirtualMCPServer | `replicas` | more than one replica needs shared session storage | LNT4016
 * @holds VirtualMCPServer | `config.sessionStorage` | `redis` needs `address` or `sentinelConfig`, not both, unless `spec.sessionStorage`
 *   takes precedence | LNT1010, LNT1021
 * @holds Other kinds | MCPServer, MCPRemoteProxy `replicas` | more than one replica needs shared sessions | LNT4016
 */
export function sessionStorage(resource: Resource): Diagnostic[] {
  switch (resource.kind) {
    case 'MCPServer':
    case 'MCPRemoteProxy': {
      const { transport, replicas, sessionStorage: storage } = resource.spec as Sessions;
      // A stdio server has one replica, even if the spec sets more.
      if (transport === 'stdio') return [];
      return [...checkSentinels(resource, storage, WRITTEN), ...checkUnshared(resource, replicas, storage?.provider)];
    }
    case 'VirtualMCPServer': {
      const { replicas, sessionStorage: chosen, config } = resource.spec as VirtualMCPServerSpec;
      const fallback = chosen === undefined ? config?.sessionStorage : undefined;
      return [
        ...checkSentinels(resource, chosen, WRITTEN),
        ...(fallback === undefined ? [] : checkConfig(resource, fallback)),
        ...checkUnshared(resource, replicas, (chosen ?? fallback)?.provider),
      ];
    }
    default:
      return [];
  }
}

/** The schema has no rules for the storage in `config`. */
function checkConfig(resource: Resource, storage: Storage): Diagnostic[] {
  const { provider, address = '', sentinelConfig } = storage;
  if (provider !== 'redis') return [];
  const problem = (code: 'LNT1010' | 'LNT1021', message: string) =>
    diagnose(resource.document, code, [...IN_CONFIG, 'address'], message);
  if (sentinelConfig === undefined)
    return address === '' ? [problem('LNT1010', 'session storage in Redis needs an address, or sentinelConfig')] : [];
  return [
    ...(address === '' ? [] : [problem('LNT1021', 'address and sentinelConfig exclude each other')]),
    ...checkSentinels(resource, storage, IN_CONFIG),
  ];
}

function checkSentinels(resource: Resource, storage: Storage | undefined, path: Path): Diagnostic[] {
  return storage?.provider === 'redis' ? redisSentinels(resource, storage, path) : [];
}

function checkUnshared(resource: Resource, replicas: number | undefined, provider: string | undefined): Diagnostic[] {
  if (replicas === undefined || replicas <= 1 || provider === 'redis') return [];
  const message = `${replicas} replicas do not share sessions: a session is lost when its requests reach another replica`;
  return [diagnose(resource.document, 'LNT4016', ['spec', 'replicas'], message)];
}
