import type { VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { findAuthServer } from './support/auth-servers.ts';

/** Kinds that store sessions of MCP clients. */
const SESSION_KINDS = ['VirtualMCPServer', 'MCPServer', 'MCPRemoteProxy'];

type Redis = Pick<NonNullable<VirtualMCPServerSpec['sessionStorage']>, 'tls' | 'sentinelTls'>;

/**
 * Without certificate verification, any server can pose as the Redis.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `tls.insecureSkipVerify`, `sentinelTls.insecureSkipVerify` | is
 *   reported | LNT4030
 */
export function unverifiedRedis(resource: Resource): Diagnostic[] {
  return listRedises(resource).flatMap(([path, redis]) =>
    (['tls', 'sentinelTls'] as const).flatMap(member => {
      if (redis[member]?.insecureSkipVerify !== true) return [];
      const who = member === 'tls' ? 'this Redis' : 'these sentinels';
      const message = `the certificate of ${who} is not checked: any server could take the place of Redis`;
      return [diagnose(resource.document, 'LNT4030', [...path, member, 'insecureSkipVerify'], message)];
    }),
  );
}

function listRedises(resource: Resource): readonly (readonly [path: Path, redis: Redis])[] {
  const location = findAuthServer(resource);
  const storage = location?.server.storage;
  const { sessionStorage } = SESSION_KINDS.includes(resource.kind) ? (resource.spec as VirtualMCPServerSpec) : {};
  return [
    ...(location !== undefined && storage?.type === 'redis' && storage.redis !== undefined
      ? [[[...location.path, 'storage', 'redis'], storage.redis] as const]
      : []),
    ...(sessionStorage?.provider === 'redis' ? [[['spec', 'sessionStorage'], sessionStorage] as const] : []),
  ];
}
