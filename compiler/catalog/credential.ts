/**
 * What a backend is shown before it says what it offers. Static headers can be sent by whoever has their values; every
 * other credential belongs to a caller or to the gateway itself, and takes a token on the command line.
 */
import {
  type ConfigOutgoingAuth,
  ENV_PREFIX,
  type ExternalAuthConfigRef,
  type MCPExternalAuthConfigSpec,
  type MCPServerEntrySpec,
  type VirtualMCPServerSpec,
} from '#schemas';
import { chosenAuth } from '../resolve/chosen-auth.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';

export type Credential =
  | { readonly type: 'headers'; readonly headers: readonly StaticHeader[] }
  /** `reason` completes "its credential is not static: …". */
  | { readonly type: 'other'; readonly reason: string };

export interface StaticHeader {
  readonly name: string;
  readonly value: { readonly literal: string } | { readonly env: string };
  /** False for what the spec itself calls plain text. */
  readonly isSecret: boolean;
}

/** A workload that is a member of a group, whatever its kind. */
type Workload = Resource<{
  readonly externalAuthConfigRef?: ExternalAuthConfigRef;
  readonly oidcConfigRef?: object;
  readonly headerForward?: MCPServerEntrySpec['headerForward'];
}>;

const NOTHING: Credential = { type: 'headers', headers: [] };

/** @param workload undefined for a backend that is written out in the gateway */
export function credentialOf(
  inventory: Inventory,
  gateway: Resource<VirtualMCPServerSpec>,
  backend: string,
  workload: Workload | undefined,
): Credential {
  const chosen = outgoing(inventory, gateway, backend, workload);
  if (chosen.type === 'other') return chosen;
  if (workload?.spec.oidcConfigRef !== undefined && chosen.headers.length === 0) {
    return { type: 'other', reason: 'it authenticates its callers (spec.oidcConfigRef)' };
  }
  const taken = new Set(chosen.headers.map(({ name }) => name.toLowerCase()));
  const forwarded = workload?.kind === 'MCPServerEntry' ? forwardedHeaders(workload) : [];
  return {
    type: 'headers',
    headers: [...chosen.headers, ...forwarded.filter(({ name }) => !taken.has(name.toLowerCase()))],
  };
}

function outgoing(
  inventory: Inventory,
  gateway: Resource<VirtualMCPServerSpec>,
  backend: string,
  workload: Workload | undefined,
): Credential {
  const chosen = chosenAuth(gateway, backend, workload?.spec.externalAuthConfigRef);
  if (chosen === undefined) return NOTHING;
  return chosen.type === 'strategy'
    ? ofStrategy(chosen.strategy)
    : ofReference(inventory, gateway.namespace, chosen.ref);
}

function ofReference(inventory: Inventory, namespace: string, { name }: ExternalAuthConfigRef): Credential {
  const config = inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', namespace, name);
  if (config === undefined) return { type: 'other', reason: `MCPExternalAuthConfig "${name}" is not in the sources` };
  const { type, headerInjection } = config.spec;
  if (type === 'unauthenticated') return NOTHING;
  if (headerInjection === undefined) return { type: 'other', reason: `${type} of MCPExternalAuthConfig "${name}"` };
  return oneHeader(headerInjection.headerName, { env: `${ENV_PREFIX}HEADER_INJECTION_VALUE_${envPart(name)}` });
}

type Strategy = NonNullable<ConfigOutgoingAuth['default']>;

function ofStrategy({ type, headerInjection }: Strategy): Credential {
  if (type === 'unauthenticated') return NOTHING;
  if (headerInjection === undefined) return { type: 'other', reason: type };
  const { headerName, headerValue, headerValueEnv } = headerInjection;
  return oneHeader(headerName, headerValueEnv ? { env: headerValueEnv } : { literal: headerValue ?? '' });
}

/** The variables are those in which the gateway's own process finds the values. */
function forwardedHeaders({ name: entry, spec }: Workload): StaticHeader[] {
  const { addPlaintextHeaders = {}, addHeadersFromSecret = [] } = spec.headerForward ?? {};
  return [
    ...Object.entries(addPlaintextHeaders).map(([name, literal]) => ({ name, value: { literal }, isSecret: false })),
    ...addHeadersFromSecret.map(({ headerName: name }) => ({
      name,
      value: { env: `${ENV_PREFIX}SECRET_HEADER_FORWARD_${envPart(name)}_${envPart(entry)}` },
      isSecret: true,
    })),
  ];
}

function oneHeader(name: string, value: StaticHeader['value']): Credential {
  return { type: 'headers', headers: [{ name, value, isSecret: true }] };
}

function envPart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}
