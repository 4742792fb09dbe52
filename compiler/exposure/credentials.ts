/** Which credential goes to which backend. */
import type { ExternalAuthConfigRef, MCPExternalAuthConfigSpec } from '#schemas';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { chosenAuth } from '../resolve/chosen-auth.ts';
import { credentialOfConfig, credentialOfStrategy } from './credential.ts';
import type { Credential, ObjectName } from './exposure.ts';

const NONE: Credential = { strategy: 'none', identity: 'nobody', from: null, secrets: [] };

export function credentialOf(gateway: GatewayModel, { name, origin }: BackendModel): Credential {
  // Backends that a gateway wrote out refer to nothing themselves.
  const workload = origin.resource === gateway.resource ? {} : origin.resource.spec;
  const { externalAuthConfigRef } = workload as { readonly externalAuthConfigRef?: ExternalAuthConfigRef };
  const chosen = chosenAuth(gateway.resource, name, externalAuthConfigRef);
  if (chosen === undefined) return NONE;
  return chosen.type === 'strategy'
    ? credentialOfStrategy(chosen.strategy, nameOf(gateway.resource), firstUpstream(gateway))
    : (ofReference(gateway, chosen.ref) ?? NONE);
}

function ofReference(gateway: GatewayModel, ref: ExternalAuthConfigRef): Credential | undefined {
  const { inventory, resource } = gateway;
  const config = inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', resource.namespace, ref.name);
  return config && credentialOfConfig(config.spec, nameOf(config), firstUpstream(gateway));
}

/** Whose token is handed in where none is named. Without an authorization server it is the token of the caller. */
function firstUpstream({ resource }: GatewayModel): string | undefined {
  return resource.spec.authServerConfig?.upstreamProviders[0]?.name;
}

export function nameOf({ kind, name }: ObjectName): ObjectName {
  return { kind, name };
}
