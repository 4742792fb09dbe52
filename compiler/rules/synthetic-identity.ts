import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';

/**
 * The first upstream identifies the user; if it provides no subject, each sign-in creates a new user.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `…userInfo`, `identityFromToken` | one of them is set for the
 *   first upstream; otherwise identities are derived from tokens | LNT4023
 */
export function syntheticIdentity(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  const [first] = location?.server.upstreamProviders ?? [];
  const { userInfo, identityFromToken } = first?.oauth2Config ?? {};
  if (first?.oauth2Config === undefined || userInfo !== undefined || identityFromToken !== undefined) return [];
  const path = [...(location?.path ?? []), 'upstreamProviders', 0, 'oauth2Config'];
  const message = `upstream "${first.name}" does not say who signs in: callers have no name, and each token has another subject`;
  return [diagnose(resource.document, 'LNT4023', path, message, { at: 'key' })];
}
