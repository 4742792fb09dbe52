/** Lowers an MCPServer or MCPRemoteProxy to the bundle of its gateway. */
import {
  type BackendTransport,
  BRIDGE_PORT,
  type FrontDeploymentPlan,
  formatBridgePath,
  getMember,
  MCP_PATH,
  type MCPRemoteProxySpec,
  type MCPServerSpec,
  SSE_PATH,
  type StdioPlan,
} from '#schemas';
import type { Catalog } from '../analysis/catalog/index.ts';
import type { LoweredGateway } from '../analysis/lowered-gateway.ts';
import { MAIN_CONTAINER, PROXY_CONTAINER } from '../analysis/pods/main-container.ts';
import { type BackendAddress, withoutFragment } from '../lower/backend-address.ts';
import type { LoweringContext } from '../lower/context.ts';
import { lowerStaticHeaders } from '../lower/forwarded-headers.ts';
import { type FrontedBackend, lowerGateway, type Origin } from '../lower/gateway.ts';
import { listContainerVariables, lowerProgram } from '../lower/stdio-backend.ts';
import { buildWorkloadMetadata } from '../lower/workload-metadata.ts';
import { type BackendOrigin, toServedOrigin } from '../resolve/backend-origin.ts';
import type { Inventory, Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { readProxyFields, sendsCredential, toGateway } from './as-gateway.ts';
import { attributeToServer } from './findings.ts';
import { buildServerPodTemplate, getServerPort, lowerFrontDeployment, lowerResources } from './pod.ts';
import type { ServedServer } from './served-server.ts';

/** Lowers a server as a gateway. Every leaf of the server's spec is read, refused or reported as ignored. */
export function lowerServer(
  served: ServedServer,
  inventory: Inventory,
  origin: Origin,
  catalog?: Catalog,
): LoweredGateway {
  const gateway = toGateway(served, inventory);
  const lowered = lowerGateway(gateway, inventory, origin, catalog, context => lowerFrontedBackend(context, served));
  return { ...lowered, diagnostics: attributeToServer(served.resource, lowered.diagnostics) };
}

function lowerFrontedBackend(context: LoweringContext, served: ServedServer): FrontedBackend {
  const { front, resource } = served;
  const proxy = readProxyFields(context, served);
  const common = { front, origin: findOrigin(context, resource) };
  if (served.front === 'server') {
    const spec = proxy as Tracked<MCPServerSpec>;
    const address = lowerServerAddress(served.resource, spec);
    return { ...common, address, deployment: lowerServerDeployment(served.resource, spec, address.stdio) };
  }
  const spec = proxy as Tracked<MCPRemoteProxySpec>;
  return { ...common, address: lowerRemoteAddress(served.resource, spec), deployment: lowerRemoteDeployment(spec) };
}

/** Describes the only backend of the gateway by the server's spec, without `externalAuthConfigRef` unless that is a credential for the backend. */
function findOrigin(context: LoweringContext, resource: ServedServer['resource']): BackendOrigin {
  const { oidcConfigRef, authzConfig, authzConfigRef, toolConfigRef } = resource.spec;
  const filters = [oidcConfigRef, authzConfig, authzConfigRef, toolConfigRef];
  const origin = toServedOrigin(
    resource,
    filters.some(field => field !== undefined),
  );
  if (sendsCredential(resource, context.inventory)) return origin;
  const { externalAuthConfigRef: _, ...spec } = resource.spec;
  return { ...origin, resource: { ...resource, spec } };
}

function lowerServerAddress(server: Resource<MCPServerSpec>, spec: Tracked<MCPServerSpec>): BackendAddress {
  const { namespace, name } = server;
  const common = {
    name,
    addresses: 'any' as const,
    headers: [],
    metadata: buildWorkloadMetadata(server, 'mcp_server', server.spec.groupRef?.name),
  };
  const own = spec.get('transport');
  if (own === 'stdio') {
    const url = `http://127.0.0.1:${BRIDGE_PORT}${formatBridgePath(namespace, name)}`;
    const stdio = lowerProgram(spec.get('command') ?? '', spec, listContainerVariables(spec));
    return { ...common, url, transport: 'streamable-http', stdio: { ...stdio, inheritEnv: [] } };
  }
  const transport: BackendTransport = own === 'sse' ? 'sse' : 'streamable-http';
  const url = `http://127.0.0.1:${getServerPort(server.spec)}${transport === 'sse' ? SSE_PATH : MCP_PATH}`;
  return { ...common, url, transport };
}

function lowerServerDeployment(
  server: Resource<MCPServerSpec>,
  spec: Tracked<MCPServerSpec>,
  stdio: StdioPlan | undefined,
): FrontDeploymentPlan {
  const { replicas, backendReplicas, permissionProfile, transport } = server.spec;
  if (transport === 'stdio') {
    if (namesProgram(spec.peek('podTemplateSpec')))
      spec.reportUnsupported(
        'podTemplateSpec',
        "command or args of the container mcp in a pod template: those are the bridge's",
      );
    // The gateway offers both transports to clients, each at its path.
    spec.get('proxyMode');
    if (spec.peek('mcpPort') !== undefined) spec.ignore('mcpPort', 'transport is stdio');
    if ((spec.child('process')?.peek('inheritEnv') ?? []).length > 0)
      spec.child('process')?.ignore('inheritEnv', 'the program gets every variable of its container');
  } else spec.ignore('proxyMode', `transport is ${transport}`);
  if (backendReplicas !== replicas)
    spec.ignore('backendReplicas', 'each pod of the proxy has its own server next to it', 'set replicas');
  else spec.get('backendReplicas');
  spec.reportUnsupported('webhookConfigRef', 'webhooks');
  const isClosed = permissionProfile?.type !== 'configmap' && permissionProfile?.name === 'none';
  if (isClosed || permissionProfile?.name === 'network') spec.get('permissionProfile');
  else spec.reportUnsupported('permissionProfile', 'permission profiles other than the built-in "none" and "network"');
  spec.get('rateLimiting');
  return lowerFrontDeployment(spec, buildServerPodTemplate(spec, server.namespace, server.name, stdio), !isClosed);
}

/** The address of a remote server; a field of the spec says whether it may be private. */
function lowerRemoteAddress(proxy: Resource<MCPRemoteProxySpec>, spec: Tracked<MCPRemoteProxySpec>): BackendAddress {
  // Without a URL the proxy is refused, but the rules still check the rest.
  const remoteUrl = spec.get('remoteUrl') ?? '';
  return {
    name: proxy.name,
    url: withoutFragment(remoteUrl),
    transport: spec.get('transport') ?? 'streamable-http',
    addresses: spec.get('allowPrivateEndpoint') === true ? 'private' : 'public',
    headers: lowerStaticHeaders(spec.child('headerForward'), proxy.name),
    metadata: { ...buildWorkloadMetadata(proxy, 'remote_proxy', proxy.spec.groupRef?.name), remote_url: remoteUrl },
  };
}

function lowerRemoteDeployment(spec: Tracked<MCPRemoteProxySpec>): FrontDeploymentPlan {
  const resources = lowerResources(spec);
  const container = { name: PROXY_CONTAINER, ...(Object.keys(resources).length === 0 ? {} : { resources }) };
  return lowerFrontDeployment(spec, { spec: { containers: [container] } }, false);
}

/** Whether a pod template replaces the bridge's command: then nothing would start the server. */
function namesProgram(template: unknown): boolean {
  const containers = getMember(getMember(template, 'spec'), 'containers');
  const own = (Array.isArray(containers) ? containers : []).filter(
    value => getMember(value, 'name') === MAIN_CONTAINER.MCPServer,
  );
  return own.some(value => getMember(value, 'command') !== undefined || getMember(value, 'args') !== undefined);
}
