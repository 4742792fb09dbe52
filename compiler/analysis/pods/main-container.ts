/** The container that a template addresses, by kind. Others are added next to it. */
export const MAIN_CONTAINER = {
  VirtualMCPServer: 'vmcp',
  MCPRegistry: 'registry-api',
  MCPServer: 'mcp',
  MCPRemoteProxy: 'proxy',
  EmbeddingServer: 'embedding',
} as const;

/** The gateway in the pods of an MCPServer or MCPRemoteProxy. */
export const PROXY_CONTAINER: string = MAIN_CONTAINER.MCPRemoteProxy;

/** Undefined for kinds without pods of their own. */
export function mainContainer(kind: string): string | undefined {
  return Object.hasOwn(MAIN_CONTAINER, kind) ? MAIN_CONTAINER[kind as keyof typeof MAIN_CONTAINER] : undefined;
}
