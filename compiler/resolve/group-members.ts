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
  return groupsOf(inventory).get(`${namespace}/${group}`) ?? NO_MEMBERS;
}

const NO_MEMBERS: GroupMembers = { servers: [], proxies: [], entries: [] };

const KNOWN_GROUPS = new WeakMap<Inventory, ReadonlyMap<string, GroupMembers>>();

/** By namespace and group: made once, since gateways may be many. */
function groupsOf(inventory: Inventory): ReadonlyMap<string, GroupMembers> {
  const known = KNOWN_GROUPS.get(inventory);
  if (known !== undefined) return known;
  type Lists = { -readonly [K in keyof GroupMembers]: GroupMembers[K][number][] };
  const groups = new Map<string, Lists>();
  const addAll = <K extends keyof GroupMembers>(
    list: K,
    workloads: readonly (GroupMembers[K][number] & {
      readonly spec: { readonly groupRef?: { readonly name: string } };
    })[],
  ): void => {
    for (const workload of workloads) {
      const group = workload.spec.groupRef?.name;
      if (group === undefined) continue;
      const key = `${workload.namespace}/${group}`;
      const members = groups.get(key) ?? { servers: [], proxies: [], entries: [] };
      groups.set(key, members);
      members[list].push(workload);
    }
  };
  addAll('servers', inventory.all<MCPServerSpec>('MCPServer'));
  addAll('proxies', inventory.all<MCPRemoteProxySpec>('MCPRemoteProxy'));
  addAll('entries', inventory.all<MCPServerEntrySpec>('MCPServerEntry'));
  KNOWN_GROUPS.set(inventory, groups);
  return groups;
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
