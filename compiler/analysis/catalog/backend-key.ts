/**
 * Whether a text is a key of the tool lock, in the form of `resolve/backend-origin.ts`. Names are not validated: keys only have to differ
 * between backends.
 */
export function isBackendKey(text: string): boolean {
  return /^[^/]+\/(?:MCPServerEntry\/[^/]+|(?:MCPServer|MCPRemoteProxy)\/[^/]+(?:\/[^/]+)?|VirtualMCPServer\/[^/]+\/.+)$/s.test(
    text,
  );
}
