import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { isExposedHttp } from './support/plain-http.ts';

/**
 * The authorization server must use https, or http on the machine itself.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `issuer`, `authorizationEndpointBaseUrl` | https, except on
 *   loopback or with `insecureAllowHTTP` | LNT4004
 */
export function authServerUrls(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  if (location === undefined || location.server.insecureAllowHTTP === true) return [];
  return (['issuer', 'authorizationEndpointBaseUrl'] as const).flatMap(field => {
    const text = location.server[field];
    if (text === undefined || !isExposedHttp(text)) return [];
    const message = `${field} is plain http on a host that is not loopback: tokens would cross the network unencrypted`;
    return [
      diagnose(resource.document, 'LNT4004', [...location.path, field], message, {
        fix: 'use https, or for development set insecureAllowHTTP to true',
      }),
    ];
  });
}
