/**
 * Which credential is sent to which backend. A backend whose credential cannot be determined is omitted: no backend may be called without
 * the credential that its sources require.
 */
import type {
  BackendAuth,
  ConfigOutgoingAuth,
  ExternalAuthConfigRef,
  GatewayConfig,
  MCPExternalAuthConfigSpec,
  OutgoingAuthPlan,
  OutgoingAuth as OutgoingAuthSpec,
  VirtualMCPServerSpec,
} from '#schemas';
import type { CredentialLocation } from '../analysis/lowered-gateway.ts';
import { type ChosenAuth, chooseAuth } from '../resolve/choose-auth.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { ObjectLocation } from '../resolve/related-location.ts';
import type { Tracked } from '../resolve/tracked.ts';
import type { Path } from '../source/source-document.ts';
import type { LoweringContext } from './context.ts';
import {
  GATEWAY_AUTH_TYPES,
  type GatewayAuthType,
  isGatewayAuthType,
  lowerAuthConfig,
  lowerStrategy,
} from './outgoing/strategies.ts';

export interface OutgoingAuth {
  /** `inline`: inline backends and group members; `discovered`: group members alone. */
  readonly source: 'inline' | 'discovered';
  /** The positions at which the spec names backends, to check that they exist. */
  readonly named: readonly { readonly backend: string; readonly path: Path }[];
  /** @param workload undefined for an inline backend */
  lowerAuth(backend: string, workload: GroupMember | undefined): LoweredAuth;
}

/** A workload that is a member of a group, of any kind. */
export type GroupMember = Resource<{ readonly externalAuthConfigRef?: ExternalAuthConfigRef }>;

export type LoweredAuth = {
  /** Whether the workload's own reference applies. */
  readonly usesOwn: boolean;
} & (
  | { readonly plan: OutgoingAuthPlan; readonly location: CredentialLocation | null }
  /** Set for a credential that an error makes unknown. `reason` continues the sentence "its credential is not a static header: …". */
  | { readonly plan: null; readonly reason: string }
);

export function lowerOutgoingAuth(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): OutgoingAuth {
  const credentials = new CredentialPlans(context, gateway);
  const lowerAuth: OutgoingAuth['lowerAuth'] = (backend, workload) => credentials.lowerAuth(backend, workload);
  const references = spec.child('outgoingAuth');
  if (references !== undefined) {
    config?.ignore('outgoingAuth', 'spec.outgoingAuth takes precedence');
    readReferences(context, gateway, references, credentials);
    return {
      source: references.get('source') ?? 'discovered',
      named: collectNamed(references.entries('backends')),
      lowerAuth,
    };
  }
  const strategies = config?.child('outgoingAuth');
  if (strategies === undefined) return { source: 'discovered', named: [], lowerAuth };
  readStrategies(strategies, credentials);
  return { source: strategies.get('source'), named: collectNamed(strategies.entries('backends')), lowerAuth };
}

/** `spec.outgoingAuth`: every entry is read and checked, whether or not a backend uses it. */
function readReferences(
  context: LoweringContext,
  gateway: Resource,
  auth: Tracked<OutgoingAuthSpec>,
  credentials: CredentialPlans,
): void {
  const fallback = auth.child('default');
  const entries = [
    ...(fallback === undefined ? [] : [fallback]),
    ...auth.entries('backends').map(([, entry]) => entry),
  ];
  for (const entry of entries) readReference(context, gateway, entry, credentials);
}

function readReference(
  context: LoweringContext,
  gateway: Resource,
  entry: Tracked<BackendAuth>,
  credentials: CredentialPlans,
): void {
  if (entry.get('type') === 'discovered') {
    entry.ignore('externalAuthConfigRef', 'type is discovered');
    return;
  }
  const ref = entry.get('externalAuthConfigRef');
  if (ref === undefined) {
    const message = 'missing "externalAuthConfigRef", which the type asks for';
    context.report(gateway, 'LNT1010', entry.path, message, { at: 'key' });
    return;
  }
  const type = credentials.findRefusedType(ref.name);
  if (type === undefined) return;
  const path = [...entry.path, 'externalAuthConfigRef', 'name'];
  context.report(gateway, 'LNT2003', path, formatRefusal(ref.name, type), { fix: ALTERNATIVES });
}

/** `config.outgoingAuth`: inline strategies. */
function readStrategies(auth: Tracked<ConfigOutgoingAuth>, credentials: CredentialPlans): void {
  const fallback = auth.child('default');
  const strategies = [...(fallback ? [fallback] : []), ...auth.entries('backends').map(([, entry]) => entry)];
  for (const strategy of strategies) credentials.add(strategy.path, lowerStrategy(strategy, credentials.upstreams));
}

function collectNamed<T extends object>(backends: readonly (readonly [string, Tracked<T>])[]): OutgoingAuth['named'] {
  return backends.map(([backend, entry]) => ({ backend, path: entry.path }));
}

const ALTERNATIVES = `use a config of type ${GATEWAY_AUTH_TYPES.slice(0, -1).join(', ')} or ${GATEWAY_AUTH_TYPES.at(-1)}`;

function formatRefusal(config: string, type: string): string {
  return `MCPExternalAuthConfig "${config}" is of type ${type}, which a gateway cannot use toward a backend`;
}

/** The credential plans of one gateway, each created once for all backends that share it. */
class CredentialPlans {
  /** Names of the upstreams of the gateway's authorization server, in order. */
  readonly upstreams: readonly string[];
  readonly #context: LoweringContext;
  readonly #gateway: Resource<VirtualMCPServerSpec>;
  readonly #strategies = new Map<string, OutgoingAuthPlan | undefined>();
  readonly #configs = new Map<string, OutgoingAuthPlan | undefined>();

  constructor(context: LoweringContext, gateway: Resource<VirtualMCPServerSpec>) {
    this.#context = context;
    this.#gateway = gateway;
    const server = gateway.spec.authServerConfig;
    const isInjected = server?.disableUpstreamTokenInjection !== true;
    this.upstreams = isInjected ? (server?.upstreamProviders.map(({ name }) => name) ?? []) : [];
  }

  add(path: Path, plan: OutgoingAuthPlan | undefined): void {
    this.#strategies.set(path.join('/'), plan);
  }

  /** The type of a config that gateways cannot use; undefined for other types and for a missing config. */
  findRefusedType(name: string): string | undefined {
    const type = this.#find(name)?.spec.type;
    return type === undefined || isGatewayAuthType(type) ? undefined : type;
  }

  lowerAuth(backend: string, workload: GroupMember | undefined): LoweredAuth {
    const chosen = chooseAuth(this.#gateway, backend, workload?.spec.externalAuthConfigRef);
    return {
      ...this.#lowerChosen(chosen, backend, workload),
      usesOwn: chosen.type === 'reference' && chosen.by === 'workload',
    };
  }

  #lowerChosen(chosen: ChosenAuth, backend: string, workload: GroupMember | undefined) {
    const gateway = this.#gateway;
    switch (chosen.type) {
      case 'nothing':
        return { plan: { type: 'unauthenticated' }, location: null } as const;
      case 'unnamed':
        return { plan: null, reason: 'the gateway names none' };
      case 'strategy': {
        const plan = this.#strategies.get(chosen.path.join('/'));
        const location = { holder: gateway, location: { resource: gateway, path: chosen.path } };
        return plan === undefined
          ? { plan: null, reason: `${chosen.strategy.type} of the gateway` }
          : { plan, location };
      }
      case 'reference': {
        const resource = chosen.by === 'workload' && workload !== undefined ? workload : gateway;
        return this.#lowerReferred(chosen.name, { resource, path: chosen.path }, backend);
      }
    }
  }

  #lowerReferred(name: string, location: ObjectLocation, backend: string) {
    const holder = this.#find(name);
    // The unresolved reference is reported elsewhere.
    if (holder === undefined) return { plan: null, reason: `MCPExternalAuthConfig "${name}" is not in the sources` };
    const { type } = holder.spec;
    if (!this.#canSend(type) && location.resource !== this.#gateway) this.#refuse(name, type, location, backend);
    const plan = this.#getPlan(holder);
    return plan === undefined
      ? { plan: null, reason: `${type} of MCPExternalAuthConfig "${name}"` }
      : { plan, location: { holder, location } };
  }

  #refuse(config: string, type: string, { resource, path }: ObjectLocation, backend: string): void {
    const message = `${formatRefusal(config, type)}: VirtualMCPServer "${this.#gateway.name}" does not contact "${backend}" without it`;
    const fix = `${ALTERNATIVES}, here or for this backend in spec.outgoingAuth.backends of the gateway`;
    this.#context.report(resource, 'LNT2003', path, message, { fix });
  }

  #getPlan(config: Resource<MCPExternalAuthConfigSpec>): OutgoingAuthPlan | undefined {
    const { name, spec } = config;
    if (!this.#canSend(spec.type)) return undefined;
    if (!this.#configs.has(name)) {
      this.#configs.set(name, lowerAuthConfig(this.#context.track(config), spec.type, name, this.upstreams));
    }
    return this.#configs.get(name);
  }

  /** A gateway in front of a single server may also send a fixed token, because no other backend can get it. */
  #canSend(type: string): type is GatewayAuthType | 'bearerToken' {
    return isGatewayAuthType(type) || (type === 'bearerToken' && this.#gateway.kind !== 'VirtualMCPServer');
  }

  #find(name: string): Resource<MCPExternalAuthConfigSpec> | undefined {
    return this.#context.inventory.find('MCPExternalAuthConfig', this.#gateway.namespace, name);
  }
}
