import { API_GROUP, type MCPRemoteProxySpec, type MCPServerSpec, type ServerFront } from '#schemas';
import type { Resource } from '../resolve/inventory.ts';

/** An MCPServer or MCPRemoteProxy that Lintel's manifests serve. */
export type ServedServer =
  | { readonly front: 'server'; readonly resource: Resource<MCPServerSpec> }
  | { readonly front: 'remote-proxy'; readonly resource: Resource<MCPRemoteProxySpec> };

/**
 * Undefined for other kinds, for objects of other API groups, which their own operators run, for programs on this machine, and for stdio images
 * without a command.
 */
export function findServedServer(resource: Resource): ServedServer | undefined {
  const front = findFront(resource.kind);
  if (front === undefined || resource.document.group !== API_GROUP) return undefined;
  if (front === 'remote-proxy') return { front, resource: resource as Resource<MCPRemoteProxySpec> };
  const server = resource as Resource<MCPServerSpec>;
  const { image, command, transport } = server.spec;
  if (image === undefined || (transport === 'stdio' && command === undefined)) return undefined;
  return { front, resource: server };
}

function findFront(kind: string): ServerFront | undefined {
  if (kind === 'MCPServer') return 'server';
  return kind === 'MCPRemoteProxy' ? 'remote-proxy' : undefined;
}
