/** The kinds whose objects gateways have as backends, and name as workloads. */
export const BACKEND_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];
