/** Backends behind a proxy Service of the cluster: MCPServer and MCPRemoteProxy. */
import { type BackendTransport, CLUSTER_SERVICE_DOMAIN, type MCPRemoteProxySpec, type MCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { BackendAddress } from './backend-address.ts';
import { workloadMetadata } from './workload-metadata.ts';

/** Port of the proxy when the spec gives none. */
const DEFAULT_PROXY_PORT = 8080;

/** The proxy of an MCPServer; `stdio` servers are offered over what `proxyMode` says, others over their own transport. */
export function serverBackend(server: Resource<MCPServerSpec>): BackendAddress {
  const { proxyPort = DEFAULT_PROXY_PORT, transport: own = 'stdio', proxyMode = 'streamable-http' } = server.spec;
  const transport: BackendTransport = own === 'stdio' ? proxyMode : own;
  const path = transport === 'sse' ? '/sse' : '/mcp';
  return {
    name: server.name,
    url: `http://mcp-${server.name}-proxy.${server.namespace}.${CLUSTER_SERVICE_DOMAIN}:${proxyPort}${path}`,
    transport,
    addresses: 'any',
    headers: [],
    metadata: workloadMetadata(server, 'mcp_server', server.spec.groupRef?.name),
  };
}

/** The proxy in front of a remote server; its Service answers at the root path. */
export function proxyBackend(proxy: Resource<MCPRemoteProxySpec>): BackendAddress {
  const { proxyPort = DEFAULT_PROXY_PORT, transport = 'streamable-http', remoteUrl } = proxy.spec;
  return {
    name: proxy.name,
    url: `http://mcp-${proxy.name}-remote-proxy.${proxy.namespace}.${CLUSTER_SERVICE_DOMAIN}:${proxyPort}`,
    transport,
    addresses: 'any',
    headers: [],
    metadata: { ...workloadMetadata(proxy, 'remote_proxy', proxy.spec.groupRef?.name), remote_url: remoteUrl },
  };
}
