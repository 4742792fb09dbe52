import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';

/** Scopes that every OpenID provider supports, requested or not. */
const ALWAYS = ['openid', 'profile', 'email', 'offline_access'];

/**
 * A scope that every client gets must be requested from some upstream.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `baselineClientScopes` | scopes of an upstream | LNT4015
 */
export function unsupportedScope(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  if (location === undefined) return [];
  const { baselineClientScopes = [], upstreamProviders } = location.server;
  if (baselineClientScopes.length === 0) return [];
  const supported = new Set([
    ...ALWAYS,
    ...upstreamProviders.flatMap(upstream => [
      ...(upstream.oidcConfig?.scopes ?? []),
      ...(upstream.oauth2Config?.scopes ?? []),
    ]),
  ]);
  return baselineClientScopes.flatMap((scope, index) => {
    if (supported.has(scope)) return [];
    const message = `no upstream is asked for scope "${scope}": the authorization server would not start`;
    return [diagnose(resource.document, 'LNT4015', [...location.path, 'baselineClientScopes', index], message)];
  });
}
