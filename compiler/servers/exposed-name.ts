/**
 * The name of an MCPServer or MCPRemoteProxy in exposures, next to gateways: different kinds may share names, so the kind is added with a slash,
 * which no Kubernetes name contains.
 */
export function getExposedName({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return `${kind}/${name}`;
}
