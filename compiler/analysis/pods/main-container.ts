/** The container that a template addresses, by kind. Others are added beside it. */
export const MAIN_CONTAINER = {
  VirtualMCPServer: 'vmcp',
  MCPRegistry: 'registry-api',
  MCPServer: 'mcp',
  MCPRemoteProxy: 'proxy',
  EmbeddingServer: 'embedding',
} as const;

/** Undefined for kinds without pods of their own. */
export function mainContainer(kind: string): string | undefined {
  return Object.hasOwn(MAIN_CONTAINER, kind) ? MAIN_CONTAINER[kind as keyof typeof MAIN_CONTAINER] : undefined;
}
