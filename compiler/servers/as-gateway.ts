/**
 * Converts an MCPServer or MCPRemoteProxy to the gateway that serves it: one backend, with unchanged names. So authentication, policies,
 * limits and audit of a server use the same code as those of a gateway.
 */
import {
  type AuthzConfig,
  formatServiceUrl,
  type MCPExternalAuthConfigSpec,
  type MCPRemoteProxySpec,
  type MCPServerSpec,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { LoweringContext } from '../lower/context.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { toGatewayDocument } from './gateway-document.ts';
import type { ServedServer } from './served-server.ts';

type ServerSpec = MCPServerSpec | MCPRemoteProxySpec;

/** Longer than clients wait: clients decide how long a server may take, and the gateway only ends calls that hang. */
const REQUEST_TIMEOUT = '10m';

/** The gateway has no group, because its backend is given. */
export function toGateway(served: ServedServer, inventory: Inventory): Resource<VirtualMCPServerSpec> {
  const { resource } = served;
  const spec = buildSpec(served, inventory);
  const authored = { ...resource, spec: resource.authored ?? {} } as typeof resource;
  const { metadata } = resource.document.doc.value as { readonly metadata?: unknown };
  const { document, kind, namespace, name } = resource;
  return {
    document: { ...document, doc: toGatewayDocument(document.doc, { metadata, spec }) },
    ...{ kind, namespace, name, spec },
    authored: buildSpec({ ...served, resource: authored } as ServedServer, inventory),
  };
}

function buildSpec(served: ServedServer, inventory: Inventory): VirtualMCPServerSpec {
  const { resource } = served;
  const { namespace, name, spec } = resource;
  const { oidcConfigRef, authzConfig, authzConfigRef, toolConfigRef, telemetryConfigRef, sessionStorage } = spec;
  const authServerConfig = findAuthServer(resource, inventory);
  const limits = 'rateLimiting' in spec ? spec.rateLimiting : undefined;
  const pullSecrets = spec.resourceOverrides?.proxyDeployment?.imagePullSecrets;
  return {
    groupRef: { name },
    incomingAuth: {
      type: oidcConfigRef === undefined ? 'anonymous' : 'oidc',
      ...(oidcConfigRef && {
        oidcConfigRef: { ...oidcConfigRef, resourceUrl: oidcConfigRef.resourceUrl || getServerUrl(served) },
      }),
      ...(authzConfig && { authzConfig: withoutUpstream(authzConfig) }),
      ...(authzConfigRef && { authzConfigRef }),
    },
    ...(authServerConfig && { authServerConfig }),
    ...(sessionStorage && { sessionStorage }),
    ...(telemetryConfigRef && { telemetryConfigRef }),
    ...(pullSecrets && { imagePullSecrets: pullSecrets }),
    ...(spec.podTemplateSpec && { podTemplateSpec: spec.podTemplateSpec }),
    ...(spec.sessionAffinity && { sessionAffinity: spec.sessionAffinity }),
    ...(spec.serviceAccount && { serviceAccount: spec.serviceAccount }),
    ...readReplicas(served),
    config: {
      aggregation: {
        conflictResolution: 'priority',
        conflictResolutionConfig: { priorityOrder: [name] },
        ...(toolConfigRef && { tools: [{ workload: name, toolConfigRef }] }),
      },
      operational: { timeouts: { default: REQUEST_TIMEOUT } },
      ...(limits && { rateLimiting: limits }),
      ...(spec.audit?.enabled === true && { audit: { enabled: true } }),
    },
  } as VirtualMCPServerSpec & { readonly namespace?: typeof namespace };
}

/** A server with one pair of standard streams supports one replica. */
function readReplicas({ front, resource }: ServedServer): Pick<VirtualMCPServerSpec, 'replicas'> {
  const { replicas } = resource.spec;
  if (front !== 'server' || resource.spec.transport !== 'stdio') return replicas === undefined ? {} : { replicas };
  return { replicas: Math.min(replicas ?? 1, 1) };
}

/** Only a VirtualMCPServer can choose among upstreams; a rule reports the field here. */
function withoutUpstream(authz: AuthzConfig): AuthzConfig {
  if (authz.inline === undefined) return authz;
  const { primaryUpstreamProvider: _, ...inline } = authz.inline;
  return { ...authz, inline };
}

/** The authorization server of a server, to which `authServerRef` or `externalAuthConfigRef` refers. */
function findAuthServer({ namespace, spec }: Resource<ServerSpec>, inventory: Inventory) {
  const { authServerRef, externalAuthConfigRef } = spec;
  return [authServerRef, externalAuthConfigRef]
    .map(ref => (ref === undefined ? undefined : findAuthConfig(inventory, namespace, ref.name)))
    .find(config => config?.type === 'embeddedAuthServer')?.embeddedAuthServer;
}

function findAuthConfig(inventory: Inventory, namespace: string, name: string): MCPExternalAuthConfigSpec | undefined {
  return inventory.find<MCPExternalAuthConfigSpec>('MCPExternalAuthConfig', namespace, name)?.spec;
}

/** Whether the server's own reference is a credential that its gateway sends. */
export function sendsCredential({ namespace, spec }: Resource<ServerSpec>, inventory: Inventory): boolean {
  const { externalAuthConfigRef } = spec;
  if (externalAuthConfigRef === undefined) return false;
  return findAuthConfig(inventory, namespace, externalAuthConfigRef.name)?.type !== 'embeddedAuthServer';
}

/** The URL of the Service, without a path. */
export function getServerUrl({ front, resource: { namespace, name, spec } }: ServedServer): string {
  return formatServiceUrl(front, namespace, name, spec.proxyPort);
}

/** Fields that the gateway reads from the server; all others are unread. */
const OF_GATEWAY = [
  'authServerRef',
  'authzConfig',
  'authzConfigRef',
  'audit',
  'externalAuthConfigRef',
  'groupRef',
  'oidcConfigRef',
  'podTemplateSpec',
  'proxyPort',
  'replicas',
  'serviceAccount',
  'sessionAffinity',
  'sessionStorage',
  'telemetryConfigRef',
  'toolConfigRef',
] as const satisfies readonly (keyof ServerSpec)[];

/** Reads fields of the server's spec that belong to its gateway, and refuses unsupported ones. */
export function readProxyFields(context: LoweringContext, { resource }: ServedServer): Tracked<ServerSpec> {
  const spec = context.track<ServerSpec>(resource);
  for (const field of OF_GATEWAY) spec.get(field);
  if ((spec.peek('endpointPrefix') ?? '') === '') spec.get('endpointPrefix');
  else spec.reportUnsupported('endpointPrefix', 'a path before the endpoint');
  if (spec.peek('trustProxyHeaders') === true)
    spec.reportUnsupported('trustProxyHeaders', 'endpoints from X-Forwarded headers');
  else spec.get('trustProxyHeaders');
  return spec;
}
