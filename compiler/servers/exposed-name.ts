/**
 * What an MCPServer or MCPRemoteProxy is called in an exposure, where it stands among gateways: each may have the name of another, and no
 * name of Kubernetes has a slash.
 */
export function exposedName({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}
