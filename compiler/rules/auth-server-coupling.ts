import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import {
  type ChosenOidc,
  chooseIncomingAuth,
  findIssuer,
  getAudience,
  type OidcConfigSpec,
} from '../resolve/choose-incoming-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import { type ObjectLocation, toRelatedLocation } from '../resolve/related-location.ts';
import type { AuthServer } from './support/auth-servers.ts';
import { gatewaySpec } from './support/gateway-spec.ts';

/**
 * A gateway with its own authorization server must accept exactly its tokens: the same issuer, and an audience that it issues.
 *
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `issuer` | equals that of the MCPOIDCConfig of `incomingAuth` |
 *   LNT4002
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | (block) | needs `incomingAuth.type: oidc` | LNT4010
 * @holds authServerConfig, and `embeddedAuthServer` of MCPExternalAuthConfig | `oidcConfigRef.audience` | is the `resourceUrl` for which
 *   tokens are issued | LNT4003
 */
export function authServerCoupling(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec?.authServerConfig === undefined) return [];
  const { type, path, oidc } = chooseIncomingAuth(spec);
  if (type !== 'oidc') {
    const message = `the authorization server issues tokens, but incomingAuth.type is ${type}: callers need no token`;
    return [diagnose(resource.document, 'LNT4010', [...path, 'type'], message)];
  }
  if (oidc === undefined) return [];
  return [...checkIssuer(resource, spec.authServerConfig, oidc, inventory), ...checkAudience(resource, oidc)];
}

function checkIssuer(resource: Resource, server: AuthServer, oidc: ChosenOidc, inventory: Inventory): Diagnostic[] {
  const issuer = findIssuer(oidc, resource.namespace, inventory);
  if (issuer === undefined || issuer === server.issuer) return [];
  const location = locateIssuer(resource, oidc, inventory);
  const owner =
    location.resource === resource ? 'incomingAuth' : `${location.resource.kind} "${location.resource.name}"`;
  const message = `issuer "${server.issuer}" differs from "${issuer}" of ${owner}, so every token that it issues is refused`;
  const related = [toRelatedLocation('the issuer of the tokens that callers need', location)];
  return [diagnose(resource.document, 'LNT4002', ['spec', 'authServerConfig', 'issuer'], message, { related })];
}

function locateIssuer(resource: Resource, oidc: ChosenOidc, inventory: Inventory): ObjectLocation {
  const config =
    oidc.type === 'reference'
      ? inventory.find<OidcConfigSpec>('MCPOIDCConfig', resource.namespace, oidc.ref.name)
      : undefined;
  return config === undefined
    ? { resource, path: [...oidc.path, 'issuer'] }
    : { resource: config, path: ['spec', config.spec.type, 'issuer'] };
}

/** Tokens are issued only for the gateway's resource. */
function checkAudience(resource: Resource, oidc: ChosenOidc): Diagnostic[] {
  const audience = getAudience(oidc);
  const [field, url] =
    oidc.type === 'reference' ? ['resourceUrl', oidc.ref.resourceUrl] : ['resource', oidc.oidc.resource ?? audience];
  if (audience === url) return [];
  const path = [...oidc.path, 'audience'];
  if (url === undefined || url === '') {
    const message = `the authorization server issues tokens for the URL of the gateway, and ${oidc.path.at(-1)}.${field} is not set to that URL`;
    const details = {
      severity: 'warning',
      fix: `set ${field} to the public URL and audience to the same URL`,
    } as const;
    return [diagnose(resource.document, 'LNT4003', path, message, details)];
  }
  const message = `audience "${audience}" differs from ${field} "${url}", the only audience of the tokens that the authorization server issues`;
  return [diagnose(resource.document, 'LNT4003', path, message, { fix: `audience: ${url}` })];
}
