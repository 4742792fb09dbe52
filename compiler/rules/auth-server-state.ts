import type { VirtualMCPServerSpec } from '#schemas';
import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';

/**
 * An authorization server needs persistent keys for restarts, and shared sessions for several replicas.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `signingKeySecretRefs`, `hmacSecretRefs` | if omitted,
 *   temporary keys are used: for development only | LNT4024
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `storage` in memory | for a single replica | LNT4025
 */
export function authServerState(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  if (location === undefined) return [];
  const { server, path } = location;
  const replicas = resource.kind === 'VirtualMCPServer' ? ((resource.spec as VirtualMCPServerSpec).replicas ?? 1) : 1;
  const missing = (['signingKeySecretRefs', 'hmacSecretRefs'] as const).filter(
    field => (server[field] ?? []).length === 0,
  );
  const keys = missing.map(field => {
    const what = field === 'hmacSecretRefs' ? 'codes and refresh tokens' : 'access tokens';
    const when = replicas > 1 ? 'at another replica and after a restart' : 'after a restart';
    const severity = replicas > 1 ? ({ severity: 'warning' } as const) : {};
    const message = `without ${field} the server makes a temporary key, so ${what} are invalid ${when}`;
    return diagnose(resource.document, 'LNT4024', path, message, { at: 'key', ...severity });
  });
  if (replicas <= 1 || server.storage?.type === 'redis') return keys;
  const message = `${replicas} replicas do not share the memory of the authorization server: a sign-in fails when one of its requests reaches another replica`;
  const at = server.storage === undefined ? path : [...path, 'storage'];
  return [...keys, diagnose(resource.document, 'LNT4025', at, message, { at: 'key' })];
}
