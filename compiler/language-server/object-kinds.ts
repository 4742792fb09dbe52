/** Kinds that can be backends of gateways, and are named as workloads. */
export const BACKEND_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];
