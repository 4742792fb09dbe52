import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findAuthServer } from './support/auth-servers.ts';
import { isLoopback, isPlainHttp } from './support/plain-http.ts';

/**
 * Client secrets need clients that can keep them, and an encrypted connection.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `forceConfidentialRedirectUris` | not loopback; complete,
 *   without fragment | LNT4020
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | confidential registration over http on loopback | needs
 *   `insecureAllowConfidentialOverLoopbackHTTP` | LNT4021
 */
export function confidentialClients(resource: Resource): Diagnostic[] {
  const location = findAuthServer(resource);
  if (location === undefined) return [];
  const { server, path } = location;
  const forced = (server.forceConfidentialRedirectUris ?? []).flatMap((text, index) => {
    const problem = findProblem(text);
    if (problem === undefined) return [];
    const at = [...path, 'forceConfidentialRedirectUris', index];
    return [diagnose(resource.document, 'LNT4020', at, `a redirect URI of confidential clients ${problem}`)];
  });
  const isOpen = server.allowConfidentialClientRegistration === true && isPlainHttp(server.issuer);
  if (!isOpen || !isLoopback(server.issuer) || server.insecureAllowConfidentialOverLoopbackHTTP === true) return forced;
  const message = 'the server sends client secrets over plain http, though only on this machine';
  const fix = 'for development set insecureAllowConfidentialOverLoopbackHTTP to true';
  const at = [...path, 'allowConfidentialClientRegistration'];
  return [...forced, diagnose(resource.document, 'LNT4021', at, message, { fix })];
}

function findProblem(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be a complete URL';
  if (isLoopback(text)) return 'cannot be on loopback: programs on desktops cannot keep a secret';
  return text.includes('#') ? 'cannot have a fragment' : undefined;
}
