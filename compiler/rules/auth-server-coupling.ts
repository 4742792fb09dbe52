import type { MCPOIDCConfig, VirtualMCPServerSpec } from '#schemas';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnose } from '../resolve/diagnose.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { AuthServer } from './auth-servers.ts';
import { gatewaySpec } from './gateway-spec.ts';

type OidcSpec = NonNullable<MCPOIDCConfig['spec']>;
type OidcRef = NonNullable<VirtualMCPServerSpec['incomingAuth']['oidcConfigRef']>;

/** A gateway that issues tokens must accept exactly those: same issuer, and an audience that it issues for. */
export function authServerCoupling(resource: Resource, inventory: Inventory): Diagnostic[] {
  const spec = gatewaySpec(resource);
  if (spec?.authServerConfig === undefined) return [];
  const { authServerConfig: server, incomingAuth } = spec;
  if (incomingAuth.type !== 'oidc') {
    const message = `the authorization server issues tokens, but incomingAuth.type is ${incomingAuth.type}: nobody asks for them`;
    return [diagnose(resource.document, 'LNT4010', ['spec', 'incomingAuth', 'type'], message)];
  }
  const ref = incomingAuth.oidcConfigRef;
  if (ref === undefined) return [];
  return [...issuerOf(resource, server, ref, inventory), ...audienceOf(resource, ref)];
}

function issuerOf(resource: Resource, server: AuthServer, ref: OidcRef, inventory: Inventory): Diagnostic[] {
  const config = inventory.find<OidcSpec>('MCPOIDCConfig', resource.namespace, ref.name);
  const { type, inline, kubernetesServiceAccount } = config?.spec ?? {};
  const issuer = type === 'inline' ? inline?.issuer : kubernetesServiceAccount?.issuer;
  if (config === undefined || issuer === undefined || issuer === server.issuer) return [];
  const message = `issuer "${server.issuer}" differs from "${issuer}" of MCPOIDCConfig "${ref.name}", so every token that it issues is refused`;
  const path = ['spec', type === 'inline' ? 'inline' : 'kubernetesServiceAccount', 'issuer'];
  const { doc } = config.document;
  const related = [{ message: 'the issuer that callers must have', file: doc.file, range: doc.locate(path, 'value') }];
  return [diagnose(resource.document, 'LNT4002', ['spec', 'authServerConfig', 'issuer'], message, { related })];
}

/** Tokens are issued for the resource of the gateway alone. */
function audienceOf(resource: Resource, { audience, resourceUrl }: OidcRef): Diagnostic[] {
  if (audience === resourceUrl) return [];
  const path = ['spec', 'incomingAuth', 'oidcConfigRef', 'audience'];
  if (resourceUrl === undefined || resourceUrl === '') {
    const message = `the authorization server issues tokens for the URL of the gateway, which oidcConfigRef.resourceUrl does not give`;
    const details = { severity: 'warning', fix: 'set resourceUrl to the public URL and audience to the same' } as const;
    return [diagnose(resource.document, 'LNT4003', path, message, details)];
  }
  const message = `audience "${audience}" differs from resourceUrl "${resourceUrl}", the only one that the authorization server issues tokens for`;
  return [diagnose(resource.document, 'LNT4003', path, message, { fix: `audience: ${resourceUrl}` })];
}
