/**
 * Whether a text is a key of the tool lock, as `resolve/backend-origin.ts` makes them. Names are not checked: they only have to
 * differ between backends.
 */
export function isBackendKey(text: string): boolean {
  return /^[^/]+\/(?:MCPServerEntry\/[^/]+|(?:MCPServer|MCPRemoteProxy)\/[^/]+(?:\/[^/]+)?|VirtualMCPServer\/[^/]+\/.+)$/s.test(
    text,
  );
}
