/** Which credential goes to which backend: the gateway's entry, what the workload refers to, the default, none. */
import type { ExternalAuthConfigRef, MCPExternalAuthConfigSpec } from '#schemas';
import type { BackendModel, GatewayModel } from '../gateway/model.ts';
import { credentialOfConfig, credentialOfStrategy } from './credential.ts';
import type { Credential, ObjectName } from './exposure.ts';

const NONE: Credential = { strategy: 'none', identity: 'nobody', from: null, secrets: [] };

export function credentialOf(gateway: GatewayModel, backend: BackendModel): Credential {
  const { spec } = gateway.resource;
  const chosen = spec.outgoingAuth;
  if (chosen !== undefined) {
    const entry = ownEntry(chosen.backends, backend.name);
    if (entry?.type === 'externalAuthConfigRef') return ofReference(gateway, entry.externalAuthConfigRef) ?? NONE;
    const discovered = entry !== undefined || chosen.source !== 'inline' ? ofWorkload(gateway, backend) : undefined;
    if (discovered !== undefined) return discovered;
    return chosen.default?.type === 'externalAuthConfigRef'
      ? (ofReference(gateway, chosen.default.externalAuthConfigRef) ?? NONE)
      : NONE;
  }
  const written = spec.config?.outgoingAuth;
  const upstream = firstUpstream(gateway);
  const from = nameOf(gateway.resource);
  const entry = ownEntry(written?.backends, backend.name);
  if (entry !== undefined) return credentialOfStrategy(entry, from, upstream);
  const discovered = written?.source === 'inline' ? undefined : ofWorkload(gateway, backend);
  if (discovered !== undefined) return discovered;
  return written?.default === undefined ? NONE : credentialOfStrategy(written.default, from, upstream);
}

function ownEntry<T>(entries: { readonly [backend: string]: T } | undefined, name: string): T | undefined {
  return entries !== undefined && Object.hasOwn(entries, name) ? entries[name] : undefined;
}

/** What the workload itself refers to; backends that a gateway wrote out refer to nothing. */
function ofWorkload(gateway: GatewayModel, { origin }: BackendModel): Credential | undefined {
  if (origin.resource === gateway.resource) return undefined;
  const { externalAuthConfigRef } = origin.resource.spec as { readonly externalAuthConfigRef?: ExternalAuthConfigRef };
  return ofReference(gateway, externalAuthConfigRef);
}

function ofReference(gateway: GatewayModel, ref: ExternalAuthConfigRef | undefined): Credential | undefined {
  if (ref === undefined) return undefined;
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
