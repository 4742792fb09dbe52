import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { isPlainHttp } from './support/plain-http.ts';

/**
 * Trusted issuers must not be the gateway's own, must be listed once each, and must use https.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `trustedIssuers[].issuerUrl` | not the gateway's own issuer; no
 *   duplicates; URLs of keys are https unless `insecureAllowHTTP` | LNT4014, LNT4004
 */
export function trustedIssuers(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  const issuers = location?.server.trustedIssuers ?? [];
  return issuers.flatMap((trusted, index) => {
    const { issuerUrl, jwksUrl, insecureAllowHTTP = false } = trusted;
    const path = [...(location?.path ?? []), 'trustedIssuers', index];
    const at = [...path, 'issuerUrl'];
    const found: Diagnostic[] = [];
    if (issuerUrl === location?.server.issuer) {
      const message = `"${issuerUrl}" is the issuer of this authorization server itself`;
      found.push(diagnose(resource.document, 'LNT4014', at, message));
    }
    if (issuers.findIndex(other => other.issuerUrl === issuerUrl) < index) {
      found.push(diagnose(resource.document, 'LNT4014', at, `issuer "${issuerUrl}" is listed twice`));
    }
    if (insecureAllowHTTP) return found;
    // The issuer's metadata is fetched unless the spec gives the URL of its keys.
    for (const [field, text] of Object.entries(jwksUrl === undefined ? { issuerUrl } : { jwksUrl })) {
      if (!isPlainHttp(text)) continue;
      const message = `${field} is plain http, so keys of the issuer could be replaced on the way, and connections to it are refused`;
      const fix = 'use https, or for development set insecureAllowHTTP to true';
      found.push(diagnose(resource.document, 'LNT4004', [...path, field], message, { fix }));
    }
    return found;
  });
}
