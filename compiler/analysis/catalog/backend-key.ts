/**
 * Is the text a key of the tool lock, as `lower/backend-origin.ts` makes them? Names are not checked: they only have to
 * tell backends apart.
 */
export function isBackendKey(text: string): boolean {
  return /^[^/]+\/(?:MCPServerEntry\/[^/]+|(?:MCPServer|MCPRemoteProxy)\/[^/]+(?:\/[^/]+)?|VirtualMCPServer\/[^/]+\/.+)$/s.test(
    text,
  );
}
