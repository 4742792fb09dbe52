/** The container that a template customizes, by kind. A template may add others. */
export const MAIN_CONTAINER = {
  VirtualMCPServer: 'vmcp',
  MCPRegistry: 'registry-api',
  MCPServer: 'mcp',
  MCPRemoteProxy: 'proxy',
  EmbeddingServer: 'embedding',
} as const;

/** The gateway in the pods of an MCPServer or MCPRemoteProxy. */
export const PROXY_CONTAINER: string = MAIN_CONTAINER.MCPRemoteProxy;

/** The name of the container that a kind customizes; undefined for kinds without pods. */
export function findMainContainer(kind: string): string | undefined {
  return Object.hasOwn(MAIN_CONTAINER, kind) ? MAIN_CONTAINER[kind as keyof typeof MAIN_CONTAINER] : undefined;
}
