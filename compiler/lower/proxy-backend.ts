/** Backends behind a proxy Service of the cluster: MCPServer and MCPRemoteProxy. */
import { type BackendTransport, CLUSTER_SERVICE_DOMAIN, type MCPRemoteProxySpec, type MCPServerSpec } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';
import type { BackendAddress } from './backend-address.ts';
import type { LoweringContext } from './context.ts';
import { type OutgoingAuth, unsupportedCredential } from './outgoing-auth.ts';
import { workloadMetadata } from './workload-metadata.ts';

/** Port of the proxy when the spec gives none. */
const DEFAULT_PROXY_PORT = 8080;

/** The proxy of an MCPServer; `stdio` servers are offered over what `proxyMode` says, others over their own transport. */
export function serverBackend(
  context: LoweringContext,
  server: Resource<MCPServerSpec>,
  outgoing: OutgoingAuth,
): BackendAddress {
  const { proxyPort = DEFAULT_PROXY_PORT, transport: own = 'stdio', proxyMode = 'streamable-http' } = server.spec;
  const transport: BackendTransport = own === 'stdio' ? proxyMode : own;
  const path = transport === 'sse' ? '/sse' : '/mcp';
  refuseCredentials(context, server, outgoing);
  return {
    name: server.name,
    url: `http://mcp-${server.name}-proxy.${server.namespace}.${CLUSTER_SERVICE_DOMAIN}:${proxyPort}${path}`,
    transport,
    addresses: 'any',
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: workloadMetadata(server, 'mcp_server', server.spec.groupRef?.name),
  };
}

/** The proxy in front of a remote server; its Service answers at the root path. */
export function proxyBackend(
  context: LoweringContext,
  proxy: Resource<MCPRemoteProxySpec>,
  outgoing: OutgoingAuth,
): BackendAddress {
  const { proxyPort = DEFAULT_PROXY_PORT, transport = 'streamable-http', remoteUrl } = proxy.spec;
  refuseCredentials(context, proxy, outgoing);
  return {
    name: proxy.name,
    url: `http://mcp-${proxy.name}-remote-proxy.${proxy.namespace}.${CLUSTER_SERVICE_DOMAIN}:${proxyPort}`,
    transport,
    addresses: 'any',
    auth: { type: 'unauthenticated' },
    headers: [],
    metadata: { ...workloadMetadata(proxy, 'remote_proxy', proxy.spec.groupRef?.name), remote_url: remoteUrl },
  };
}

/**
 * What the gateway would have to present to the proxy: a token when the proxy authenticates its callers, or the credential
 * that the workload itself refers to. All other settings are the proxy's own business.
 */
function refuseCredentials(
  context: LoweringContext,
  workload: Resource<MCPServerSpec | MCPRemoteProxySpec>,
  outgoing: OutgoingAuth,
): void {
  const refuse = (field: 'oidcConfigRef' | 'externalAuthConfigRef', what: string) =>
    context.report(workload, 'LNT1009', ['spec', field], `${what}: not supported yet (spec.${field})`);
  if (workload.spec.oidcConfigRef !== undefined) {
    refuse('oidcConfigRef', 'a token for a backend that authenticates its callers');
  }
  const credential = outgoing.overrides.has(workload.name)
    ? undefined
    : unsupportedCredential(context, workload, workload.spec.externalAuthConfigRef);
  if (credential !== undefined) refuse('externalAuthConfigRef', credential);
}
