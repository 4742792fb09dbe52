import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { chooseIncomingAuth, type OidcConfigSpec } from '../resolve/choose-incoming-auth.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Path } from '../source/source-document.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/** The URLs of a provider, by field names that all settings share. */
interface ProviderUrls {
  readonly issuer?: string;
  readonly jwksUrl?: string;
  readonly introspectionUrl?: string;
}

/**
 * Keys and claims must be fetched over https: an attacker who can change them can impersonate any user.
 *
 * @holds incomingAuth | `config.incomingAuth.oidc` | required by `oidc`; URLs as in an MCPOIDCConfig | LNT6011, LNT4004
 * @holds Other kinds | MCPOIDCConfig, `issuer`, `jwksUrl`, `introspectionUrl` | complete URLs; https unless `insecureAllowHTTP` | LNT6011,
 *   LNT4004
 */
export function oidcConfigUrls(resource: Resource): Diagnostic[] {
  if (resource.kind === 'MCPOIDCConfig') {
    const { inline, kubernetesServiceAccount } = resource.spec as OidcConfigSpec;
    return [
      ...checkUrls(resource, inline, ['spec', 'inline'], 'insecureAllowHTTP', inline?.insecureAllowHTTP),
      ...checkUrls(resource, kubernetesServiceAccount, ['spec', 'kubernetesServiceAccount']),
    ];
  }
  const spec = gatewaySpec(resource);
  const oidc = spec && chooseIncomingAuth(spec).oidc;
  if (oidc?.type !== 'inline') return [];
  return checkUrls(resource, oidc.oidc, oidc.path, 'insecureAllowHttp', oidc.oidc.insecureAllowHttp);
}

/** @param permission the field that allows plain http, if there is one */
function checkUrls(
  resource: Resource,
  settings: ProviderUrls | undefined,
  holder: Path,
  permission?: string,
  allowsHttp = false,
): Diagnostic[] {
  return (['issuer', 'jwksUrl', 'introspectionUrl'] as const).flatMap(field => {
    const text = settings?.[field];
    const path = [...holder, field];
    if (text === '' && field === 'issuer') {
      // The API server and ToolHive accept an empty issuer, but no token can have this issuer.
      return [diagnose(resource.document, 'LNT1010', path, 'the issuer is empty', { severity: 'warning' })];
    }
    if (text === undefined || text === '') return [];
    const parsed = URL.parse(text);
    if (parsed === null || parsed.hostname === '' || !/^https?:$/.test(parsed.protocol)) {
      return [diagnose(resource.document, 'LNT6011', path, `${field} is not a complete http or https URL`)];
    }
    if (parsed.protocol === 'https:' || allowsHttp) return [];
    const fix = permission === undefined ? 'use https' : `use https, or for development set ${permission} to true`;
    return [diagnose(resource.document, 'LNT4004', path, `${field} is plain http`, { fix })];
  });
}
