import type { MCPRemoteProxySpec, MCPServerEntrySpec, MCPServerSpec } from '#schemas';
import { memberOf } from '../source/is-mapping.ts';
import { Index, type Inventory, type Resource } from './inventory.ts';

export interface GroupMembers {
  readonly servers: readonly Resource<MCPServerSpec>[];
  readonly proxies: readonly Resource<MCPRemoteProxySpec>[];
  readonly entries: readonly Resource<MCPServerEntrySpec>[];
}

/** The kinds whose `spec.groupRef.name` makes them backends. */
const WORKLOAD_KINDS: readonly string[] = ['MCPServer', 'MCPRemoteProxy', 'MCPServerEntry'];

type Workload = MCPServerSpec | MCPRemoteProxySpec | MCPServerEntrySpec;

const MEMBERS = new Index<Workload>(WORKLOAD_KINDS, ({ namespace, spec }) => {
  const group = spec.groupRef?.name;
  return group === undefined ? undefined : `${namespace}/${group}`;
});

/** Members declare themselves: a group does not list them. In the order of their kinds and of the sources. */
export function workloadsOf(inventory: Inventory, namespace: string, group: string): readonly Resource<Workload>[] {
  return inventory.by(MEMBERS, `${namespace}/${group}`, namespace);
}

/** The same by kind. */
export function membersOf(inventory: Inventory, namespace: string, group: string): GroupMembers {
  const workloads = workloadsOf(inventory, namespace, group);
  const ofKind = (kind: string) => workloads.filter(workload => workload.kind === kind);
  return {
    servers: ofKind('MCPServer') as Resource<MCPServerSpec>[],
    proxies: ofKind('MCPRemoteProxy') as Resource<MCPRemoteProxySpec>[],
    entries: ofKind('MCPServerEntry') as Resource<MCPServerEntrySpec>[],
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
