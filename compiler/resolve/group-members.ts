import type { MCPRemoteProxySpec, MCPServerEntrySpec, MCPServerSpec } from '#schemas';
import { memberOf } from '../source/is-mapping.ts';
import type { Inventory, Resource } from './inventory.ts';

export interface GroupMembers {
  readonly servers: readonly Resource<MCPServerSpec>[];
  readonly proxies: readonly Resource<MCPRemoteProxySpec>[];
  readonly entries: readonly Resource<MCPServerEntrySpec>[];
}

/** The kinds whose `spec.groupRef.name` makes them backends. */
const WORKLOAD_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

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

/**
 * Is there a workload of this name that has structural errors and may belong to the group? One that names another group
 * does not; of one whose `groupRef` cannot be read nobody knows.
 */
export function mayBeBrokenMember(
  inventory: Inventory,
  group: { readonly namespace: string; readonly name: string },
  workload: string,
): boolean {
  return WORKLOAD_KINDS.some(kind => {
    const broken = inventory.findBroken(kind, group.namespace, workload);
    if (broken === undefined) return false;
    const named = memberOf(memberOf(memberOf(broken.doc.value, 'spec'), 'groupRef'), 'name');
    return typeof named !== 'string' || named === '' || named === group.name;
  });
}
