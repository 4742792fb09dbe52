/** Small valid specs for tests with repositories: a group, one backend, a gateway. */

export interface GatewaySpecOptions {
  readonly namespace?: string;
  /** Distinguishes one version of a gateway from another. */
  readonly url?: string;
  /** Further lines of the gateway's spec, without indentation. */
  readonly spec?: string;
}

/** One file with everything that a gateway called `name` needs. */
export function gatewayFile(name: string, { namespace, url, spec = '' }: GatewaySpecOptions = {}): string {
  const metadata = (of: string) =>
    `metadata: { name: ${of}${namespace === undefined ? '' : `, namespace: ${namespace}`} }`;
  return `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
${metadata(name)}
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
${metadata(`${name}-backend`)}
spec:
  groupRef: { name: ${name} }
  remoteUrl: ${url ?? `https://${name}.example.com/mcp`}
  transport: streamable-http
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
${metadata(name)}
spec:
  groupRef: { name: ${name} }
  incomingAuth: { type: anonymous }
${spec.replace(/^(?=.)/gm, '  ')}`;
}

/** A gateway with a misspelt field, on line 19 of its file. */
export function brokenGatewayFile(name: string, options: GatewaySpecOptions = {}): string {
  return gatewayFile(name, { ...options, spec: 'replicsa: 2\n' });
}
