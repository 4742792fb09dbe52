import type { MCPRemoteProxySpec, MCPServerEntrySpec, MCPServerSpec } from '#schemas';
import type { Inventory, Resource } from './inventory.ts';

export interface GroupMembers {
  readonly servers: readonly Resource<MCPServerSpec>[];
  readonly proxies: readonly Resource<MCPRemoteProxySpec>[];
  readonly entries: readonly Resource<MCPServerEntrySpec>[];
}

/** The kinds whose `spec.groupRef.name` makes them backends. */
export const WORKLOAD_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

/** Members declare themselves: a group does not list them. */
export function membersOf(inventory: Inventory, namespace: string, group: string): GroupMembers {
  const inGroup = <Spec extends { readonly groupRef?: { readonly name: string } }>(kind: string) =>
    inventory.all<Spec>(kind, namespace).filter(workload => workload.spec.groupRef?.name === group);
  return {
    servers: inGroup<MCPServerSpec>('MCPServer'),
    proxies: inGroup<MCPRemoteProxySpec>('MCPRemoteProxy'),
    entries: inGroup<MCPServerEntrySpec>('MCPServerEntry'),
  };
}
