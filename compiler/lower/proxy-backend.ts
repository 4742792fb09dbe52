/** Backends behind a proxy Service of the cluster: MCPServer and MCPRemoteProxy. */
import {
  API_GROUP,
  type BackendTransport,
  CLUSTER_SERVICE_DOMAIN,
  formatServiceUrl,
  MCP_PATH,
  type MCPRemoteProxySpec,
  type MCPServerSpec,
  PROXY_PORT,
  type ServerFront,
  SSE_PATH,
} from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { BackendAddress } from './backend-address.ts';
import { buildWorkloadMetadata } from './workload-metadata.ts';

/** The proxy in front of an MCPServer. For a `stdio` server, `proxyMode` decides the transport; the proxy of any other server has the server's. */
export function lowerServerBackend(server: Resource<MCPServerSpec>): BackendAddress {
  const { transport: own = 'stdio', proxyMode = 'streamable-http' } = server.spec;
  const transport: BackendTransport = own === 'stdio' ? proxyMode : own;
  return {
    name: server.name,
    url: `${buildUrl(server, 'server', `mcp-${server.name}-proxy`)}${chooseEndpoint(transport)}`,
    transport,
    addresses: 'any',
    headers: [],
    metadata: buildWorkloadMetadata(server, 'mcp_server', server.spec.groupRef?.name),
  };
}

/** The proxy in front of a remote server. A proxy that another Kubernetes operator runs, such as ToolHive's, answers at the root path. */
export function lowerProxyBackend(proxy: Resource<MCPRemoteProxySpec>): BackendAddress {
  const { transport = 'streamable-http', remoteUrl } = proxy.spec;
  const path = proxy.document.group === API_GROUP ? chooseEndpoint(transport) : '';
  return {
    name: proxy.name,
    url: `${buildUrl(proxy, 'remote-proxy', `mcp-${proxy.name}-remote-proxy`)}${path}`,
    transport,
    addresses: 'any',
    headers: [],
    metadata: { ...buildWorkloadMetadata(proxy, 'remote_proxy', proxy.spec.groupRef?.name), remote_url: remoteUrl },
  };
}

/** @param theirs the name that other Kubernetes operators give the Service; they never shorten it */
function buildUrl(proxy: Resource<MCPServerSpec | MCPRemoteProxySpec>, front: ServerFront, theirs: string): string {
  const { namespace, name, spec, document } = proxy;
  const { proxyPort = PROXY_PORT } = spec;
  if (document.group === API_GROUP) return formatServiceUrl(front, namespace, name, proxyPort);
  return `http://${theirs}.${namespace}.${CLUSTER_SERVICE_DOMAIN}:${proxyPort}`;
}

function chooseEndpoint(transport: BackendTransport): string {
  return transport === 'sse' ? SSE_PATH : MCP_PATH;
}
